// SPDX-License-Identifier: MIT
// npm run permissions: prints which role may call which route. A test fails when docs/permissions.md differs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPermissionsTable } from './access/permissions-table.ts'
import { buildService } from './app.ts'
import { envToConfig } from './environment/config.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'farmstead-permissions-'))
try {
  const config = envToConfig({
    FARMSTEAD_DATA_DIR: dataDir,
    FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
    FARMSTEAD_LOG_LEVEL: 'silent',
  })
  const table = createPermissionsTable()
  const service = await buildService(config, { onRoute: table.add })
  process.stdout.write(table.toMarkdown())
  await service.close()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
