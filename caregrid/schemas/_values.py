"""Values that many outputs hold."""

from typing import Annotated

Scalar = str | float | bool | None
Row = Annotated[dict[str, Scalar], "a row of a table: column -> value"]
ExactNumber = str | float
Arrow = tuple[str, str]
