// SPDX-License-Identifier: MIT
// A process of its own that writes events: write-events.ts <data folder> <object> <how many>
import { openServices } from '../src/process/services.ts'

const [dataDir = '', id = '', count] = process.argv.slice(2)
const services = await openServices({ dataDir })
for (let i = 0; i < Number(count); i += 1) {
  await services.write((unit) => unit.emit({ kind: 'node', id, action: 'changed' }))
}
await services.close()
