// SPDX-License-Identifier: MIT
import type Sqlite from 'better-sqlite3'

/**
 * Plain SQLite, without a builder of queries: there are some ten of them, each prepared once, and the thread
 * starts in half the time.
 */
export type MetricsDb = Sqlite.Database
