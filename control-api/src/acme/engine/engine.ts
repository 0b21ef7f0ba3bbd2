// SPDX-License-Identifier: MIT
import type { AuthorityRow } from '../authority-store.ts'

/** What a CA's directory says of itself. */
export type AuthorityTest = {
  reachable: boolean
  profiles: { name: string; description: string }[]
  termsOfService: string | null
  website: string | null
  externalAccountRequired: boolean
  /** null: it answered. */
  error: string | null
}
export type AcmeEngine = {
  /** Something was changed that it is to see: after the commit. */
  wake(): void
  /** Asks the CA for its directory; nothing is written down. */
  testAuthority(authority: AuthorityRow): Promise<AuthorityTest>
  /** Does all whose time has come, and resolves once that is done. */
  look(): Promise<void>
  stop(): Promise<void>
}
