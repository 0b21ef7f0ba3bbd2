// SPDX-License-Identifier: MIT
// What a node gets of certificates: those that it was told to serve, with their keys, and the keys of session tickets.
import type { Kysely } from 'kysely'
import { groupGiven, mayHaveCertificate } from '../assignments/store.ts'
import type { Write } from '../audit/write.ts'
import type { SecretBox } from '../base/secret-box.ts'
import { openVersion, type WithKey } from '../certificates/keep.ts'
import { createTicketKeys, type TicketKeys } from '../certificates/ticket-keys.ts'
import type { Database } from '../db/database.ts'

type Version = { name: string; version: number }
export type NodeCertificates = {
  mayHave(nodeId: string, version: Version): Promise<boolean>
  open(version: Version): Promise<WithKey | null>
  ticketKeys(nodeId: string): Promise<TicketKeys>
}
type Deps = { db: Kysely<Database>; write: Write; now: () => number; box: SecretBox }

export function createNodeCertificates({ db, write, now, box }: Deps): NodeCertificates {
  const ticketKeys = createTicketKeys({ write, now, box })
  return {
    mayHave: (nodeId, version) => mayHaveCertificate(db, nodeId, version),
    open: ({ name, version }) => openVersion(db, box, { name, number: version }),
    ticketKeys: async (nodeId) => await ticketKeys(await groupGiven(db, nodeId)),
  }
}
