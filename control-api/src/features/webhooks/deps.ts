// SPDX-License-Identifier: MIT
import type { Kysely } from 'kysely'
import type { EventLog } from '../../audit/log.ts'
import type { Write } from '../../audit/write.ts'
import type { SecretBox } from '../../base/secret-box.ts'
import type { Database } from '../../db/database.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Guard } from './targets.ts'

export type WebhookDeps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  box: SecretBox
  guard: Pick<Guard, 'checkLiteral'>
  dispatcher: Pick<Dispatcher, 'changed' | 'deliver'>
  events: Pick<EventLog, 'after'>
  controlPlaneId: string
  sendsMail: boolean
}
