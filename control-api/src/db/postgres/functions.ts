// SPDX-License-Identifier: MIT
// Functions of SQLite's that our statements use and PostgreSQL has not: one text of a statement serves both. JSON is text in
// both, so they take text.

/** Escapes in JSON of what it can't hold: a NUL, and half of a character alone, whichever half. */
const NO_BACKSLASH = String.raw`(?<!\\)((?:\\\\)*)`
const FIRST_HALF = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}`
const SECOND_HALF = String.raw`\\u[dD][c-fC-F][0-9a-fA-F]{2}`
const NO_CHARACTER = String.raw`${NO_BACKSLASH}(?:\\u0000|${FIRST_HALF}(?!${SECOND_HALF})|(?<!(?:^|[^\\])(?:\\\\)*${FIRST_HALF})${SECOND_HALF})`

export const FUNCTIONS: readonly string[] = [
  String.raw`create function as_json(text) returns json language sql immutable strict parallel safe
     return case when strpos($1, '\u0000') = 0 and strpos($1, '\ud') = 0 and strpos($1, '\uD') = 0 then $1
       else regexp_replace($1, '${NO_CHARACTER}', '\1\\ufffd', 'g') end::json`,
  `create function instr(text, text) returns bigint language sql immutable strict parallel safe
     return strpos($1 collate "C", $2 collate "C")`,
  `create function iif(boolean, anycompatible, anycompatible) returns anycompatible language sql immutable parallel safe
     as 'select case when $1 then $2 else $3 end'`,
  // As SQLite gives them: text of strings, numbers as they are written, JSON of what is composed, null of null; a list's
  // elements as of an object whose keys are their places.
  `create function json_each(text) returns table (key text, value text) language sql immutable strict parallel safe rows 20 as $body$
     select key, value from json_each_text(case when json_typeof(as_json($1)) = 'object' then as_json($1) end)
     union all
     select (place - 1)::text, value
     from json_array_elements_text(case when json_typeof(as_json($1)) = 'array' then as_json($1) end) with ordinality as e (value, place)
   $body$`,
  `create function json_array_length(text, text) returns bigint language sql immutable strict parallel safe
     return json_array_length(as_json($1) -> substr($2, 3))`,
  `create function json_value_text(text, text) returns text language sql immutable strict parallel safe
     return as_json($1) ->> $2`,
  `create function json_value_text(text, bigint) returns text language sql immutable strict parallel safe
     return as_json($1) ->> $2::integer`,
  `create function json_value_json(text, text) returns text language sql immutable strict parallel safe
     return (as_json($1) -> $2)::text`,
  `create function json_value_json(text, bigint) returns text language sql immutable strict parallel safe
     return (as_json($1) -> $2::integer)::text`,
  `create operator ->> (leftarg = text, rightarg = bigint, function = json_value_text)`,
  `create operator -> (leftarg = text, rightarg = text, function = json_value_json)`,
  `create operator -> (leftarg = text, rightarg = bigint, function = json_value_json)`,
  `create operator ->> (leftarg = text, rightarg = text, function = json_value_text)`,
]
