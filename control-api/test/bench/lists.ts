// SPDX-License-Identifier: MIT
// `npm run bench -- lists`: what each page of each list costs on a farm as large as is promised: 10,000 nodes, 1,000
// versions of a config, a million rows of audit. The lists and the farm are those of test/db/list-plans.
//   npm run bench -- lists [--only WORD] [--limit 500]
// Marked is what nobody should have to wait for, and what is larger than a page should be.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildService } from '../../src/app.ts'
import { fillFarm } from '../db/list-plans/fill.ts'
import { LISTS, requestsOf } from '../db/list-plans/lists.ts'
import { plainConfig } from '../plain-config.ts'
import { costOf, HEAD, line, NEVER_OVERLOADED, ORIGIN, signIn } from './asking.ts'

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string', default: '' }, limit: { type: 'string', default: '' } },
  })
  const dataDir = mkdtempSync(join(tmpdir(), 'farmstead-bench-lists-'))
  try {
    await fillFarm(dataDir)
    const service = await buildService(plainConfig(dataDir), { pressure: NEVER_OVERLOADED })
    try {
      const [whole, scoped] = [await signIn(service), await signIn(service, 'zone=eu')]
      process.stdout.write(`${HEAD}\n`)
      for (const { path, shown, isScoped } of Object.values(LISTS).flatMap(requestsOf)) {
        if (!shown.includes(values.only)) continue
        const headers = { origin: ORIGIN, cookie: isScoped ? scoped : whole }
        const limit = values.limit && `${path.includes('?') ? '&' : '?'}limit=${values.limit}`
        const url = `/api/v1${path}${limit}`
        const row = await costOf(shown, async () => () => service.app.inject({ url, headers }))
        process.stdout.write(`${line(row)}\n`)
      }
    } finally {
      await service.close()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

await main()
