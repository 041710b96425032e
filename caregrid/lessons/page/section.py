"""One lesson's section of the page: predict, run, explain, exercises, teacher's notes, and a worksheet to print."""

from __future__ import annotations

from html import escape

from caregrid.lessons.lesson import PICTURE_TILE, Lesson
from caregrid.lessons.page.film_sheets import data_url
from renderers.drawing.picture import Painter
from renderers.drawing.quantise import indexed, shared_palette
from renderers.formats.png import encode_image

LIVE = """<div class="live"></div>"""
FILM = """<div class="stage">
<div class="film-place" role="group" aria-label="film, scrolls sideways" tabindex="0">
<canvas class="film" role="img" aria-label="film of lesson {number}: {title}"></canvas></div>
<div class="controls">
<button class="play" type="button">Play</button>
<input class="scrub" type="range" min="0" value="0" step="1" aria-label="step">
<output class="step"></output>
<label for="parameter-{name}">{parameter}</label>
<input class="parameter" id="parameter-{name}" type="range" min="0" value="0" step="1">
<output class="label"></output>
</div>
<p class="summary" aria-live="polite"></p>
</div>"""


def lesson_section(lesson: Lesson) -> str:
    """The section of a lesson; with choices, everything after the question waits for a prediction."""
    name, stage = escape(lesson.name), LIVE if lesson.make_live else _film(lesson)
    return f"""<section id="{name}" data-lesson="{lesson.number}" aria-labelledby="title-{name}">
<h2 id="title-{name}">{lesson.number}. {escape(lesson.title)}</h2>
<p class="question">{escape(lesson.question)}</p>
{_predict(lesson)}
<div class="after-prediction">
<h3 class="run">Run it</h3>
{stage}
<pre tabindex="0" aria-label="command"><code>{escape(lesson.command)}</code></pre>
<details class="explain"><summary>What you should see</summary>
<p>{escape(lesson.expected)}</p>
{_picture(lesson)}
</details>
<details class="explain"><summary>Explain: the answer</summary>
<p>{escape(lesson.answer)}</p>
<p class="source">{with_code(lesson.source)}</p>
</details>
{_exercises(lesson)}
{_notes(lesson)}
</div>
</section>"""


def with_code(text: str) -> str:
    """Text with `commands` set as code."""
    pieces = [escape(piece) for piece in text.split("`")]
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces))


def _film(lesson: Lesson) -> str:
    texts = {"name": lesson.name, "title": lesson.title, "parameter": lesson.parameter}
    return FILM.format(number=lesson.number, **{key: escape(text) for key, text in texts.items()})


def _predict(lesson: Lesson) -> str:
    if not lesson.choices:
        return ""
    rows = "\n".join(
        f'<label class="choice"><input type="radio" name="predict-{escape(lesson.name)}" '
        f'data-right="{"yes" if choice.right else "no"}" data-feedback="{escape(choice.feedback)}"> '
        f"{escape(choice.text)}</label>"
        for choice in lesson.choices
    )
    return f"""<form class="predict"><fieldset><legend>Predict first</legend>
{rows}
</fieldset>
<div class="row"><button type="submit">This is my prediction</button>
<button type="button" class="skip">Show without predicting</button></div>
<p class="feedback" role="status"></p>
</form>"""


def _picture(lesson: Lesson) -> str:
    drawn = Painter(PICTURE_TILE).picture(lesson.picture())
    palette, entry = shared_palette([drawn])
    source = data_url(encode_image(indexed(drawn, entry), palette))
    return f"""<div class="picture-place" role="group" aria-label="picture, scrolls sideways" tabindex="0">
<img class="picture" src="{source}" alt="{escape(lesson.title)} {escape(lesson.expected)}"></div>"""


def _exercises(lesson: Lesson) -> str:
    if not lesson.exercises:
        return ""
    items = "\n".join(f'<li>{with_code(each)}<div class="write-here"></div></li>' for each in lesson.exercises)
    return f"""<h3>Exercises</h3>
<ol class="exercises">
{items}
</ol>
<button type="button" class="print" data-prints="worksheet">Print the worksheet</button>"""


def _notes(lesson: Lesson) -> str:
    if not lesson.plan:
        return ""
    rows, begun = [], 0
    for phase in lesson.plan:
        rows.append(
            f"<tr><th scope='row'>{begun} to {begun + phase.minutes}</th><td>{escape(phase.activity)}</td></tr>"
        )
        begun += phase.minutes
    return f"""<details class="notes"><summary>Teacher's notes: {begun} minutes</summary>
<table><thead><tr><th scope="col">minute</th><th scope="col">what the class does</th></tr></thead>
<tbody>
{chr(10).join(rows)}
</tbody></table>
<button type="button" class="print" data-prints="teachers-notes">Print the teacher's notes</button>
</details>"""
