// SPDX-License-Identifier: MIT
import { latestOf, someNames } from '../../../certificates/store.ts'
import type { Reader } from '../../../db/database.ts'
import type { CertificateNames } from './certificate-check.ts'

/** As many as are compared with a name that is not among them. */
const COMPARED = 1000

export const certificateNames = (db: Reader): CertificateNames => ({
  async hostsOf(names) {
    const latest = await latestOf(db, names)
    return new Map([...latest].map(([name, { names: hosts }]) => [name, hosts]))
  },
  some: () => someNames(db, COMPARED),
})
