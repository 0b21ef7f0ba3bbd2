// SPDX-License-Identifier: MIT
// The programs as they are shipped: bundled, from the sources as they are now.
import { resolve } from 'node:path'
import { bundle } from '../bundle.ts'

await bundle()
const built = resolve(import.meta.dirname, '../dist/current')

export const PROGRAMS = {
  server: `${built}/server.js`,
  admin: `${built}/admin.js`,
  farmctl: `${built}/farmctl.js`,
}
