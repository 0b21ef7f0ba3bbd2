// SPDX-License-Identifier: MIT
import type { Kysely } from 'kysely'
import type { Write } from '../../audit/write.ts'
import type { SecretBox } from '../../base/secret-box.ts'
import type { Database } from '../../db/database.ts'
import type { OidcConfig } from '../../environment/oidc.ts'
import type { Prove } from '../../people/proof.ts'
import type { StartSession } from '../../plugins/start-session.ts'

export type OidcDeps = {
  /** null: nobody signs in that way. The routes are there all the same, for one description of the API. */
  config: OidcConfig | null
  /** Of this API, without the origin. */
  prefix: string
  /** Below which path of the public URL all of it is. */
  basePath: string
  db: Kysely<Database>
  write: Write
  box: SecretBox
  now: () => number
  startSession: StartSession
  prove: Prove
}
