// SPDX-License-Identifier: MIT
// A process of its own that writes events where FARMSTEAD_DATA_DIR and DATABASE_URL say: write-events.ts <object> <how many>
import { openServices } from '../src/process/services.ts'

const [id = '', count] = process.argv.slice(2)
const { FARMSTEAD_DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl = null } = process.env
const services = await openServices({ dataDir, databaseUrl })
for (let i = 0; i < Number(count); i += 1) {
  await services.write((unit) => unit.emit({ kind: 'node', id, action: 'changed' }))
}
await services.close()
