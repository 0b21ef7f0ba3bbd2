// SPDX-License-Identifier: MIT
// The rows this feature keeps in control.db (migrations/021-api-tokens.ts).
export type ApiTokensTable = {
  id: string
  user_id: string
  name: string
  secret_digest: string
  /** JSON: names of permissions. null: whatever its owner may. */
  permissions: string | null
  /** The token it was made with; it goes with that one. null: made in a session. */
  made_with: string | null
  created_at_ms: number
  expires_at_ms: number
  last_used_at_ms: number | null
  last_used_from: string | null
}

export type TokenTables = { api_tokens: ApiTokensTable }
