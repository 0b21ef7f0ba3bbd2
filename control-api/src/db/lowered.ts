// SPDX-License-Identifier: MIT
/** As `lower` makes what is stored: of SQLite, and of PostgreSQL by bytes, it is A to Z alone. */
export const lowered = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (some) => some.toLowerCase())
