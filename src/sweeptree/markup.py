"""Small pieces of HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def table_in_html(title: str, rows: Mapping[str, str]) -> str:
    """Write a table with a name and a value in each row.

    Examples
    --------
    >>> table_in_html("Run", {"chains": "4"}).count("<tr>")
    1
    >>> "&lt;script&gt;" in table_in_html("Run", {"stopped by": "<script>"})
    True
    """
    lines = [
        f'<tr><th style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(value)}</td></tr>'
        for name, value in rows.items()
    ]
    caption = f'<caption style="text-align: left"><b>{escape(title)}</b></caption>'
    return "\n".join(["<table>", caption, *lines, "</table>"])


def text_in_html(text: str) -> str:
    """Write text as it is.

    Examples
    --------
    >>> text_in_html("dose <= 3")
    '<pre>dose &lt;= 3</pre>'
    """
    return f"<pre>{escape(text)}</pre>"
