// SPDX-License-Identifier: MIT
// The rows this feature keeps in control.db (migrations/022-oidc.ts).
export type OidcIdentitiesTable = {
  issuer: string
  /** The provider's name for the person. Never the e-mail address: those are given to others. */
  subject: string
  user_id: string
  /** made: the user came with the first sign-in, and the provider's groups are its roles. */
  origin: 'made' | 'linked'
  created_at_ms: number
  last_sign_in_at_ms: number | null
}

export type OidcTables = { oidc_identities: OidcIdentitiesTable }
