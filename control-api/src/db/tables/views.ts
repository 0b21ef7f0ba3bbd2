// SPDX-License-Identifier: MIT
// The rows this feature keeps in control.db (migrations/080-views.ts).

type SavedViewsTable = {
  user_id: string
  list: string
  name: string
  /** JSON: what the list's address holds. */
  search: string
  saved_at_ms: number
}

export type ViewTables = { saved_views: SavedViewsTable }
