// SPDX-License-Identifier: MIT
import { type RawBuilder, sql } from 'kysely'

/** For `in`: one statement with one parameter, however many they are. */
export const eachOf = (values: readonly string[]): RawBuilder<string> =>
  sql<string>`(select value from json_each(${JSON.stringify(values)}))`
