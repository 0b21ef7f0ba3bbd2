// SPDX-License-Identifier: MIT
// Apart from the journal, which knows all tables: who has no PostgreSQL loads none of that.

/** A file that goes on by itself is a copy of nothing. */
export const FORGET_COPY = `
  drop table if exists unsent; drop table if exists copy; drop table if exists to_read; drop table if exists to_send;
`
