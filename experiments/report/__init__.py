"""One page with what was run and what came out: sections are read once and written as HTML and as Markdown."""
