// SPDX-License-Identifier: MIT
// npm run openapi: prints the API's description. A test fails when openapi.json differs from it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildService } from './app.ts'
import { envToConfig } from './environment/config.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'farmstead-openapi-'))
try {
  const config = envToConfig({
    FARMSTEAD_DATA_DIR: dataDir,
    FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
    FARMSTEAD_LOG_LEVEL: 'silent',
  })
  const service = await buildService(config)
  await service.app.ready()
  process.stdout.write(`${JSON.stringify(service.app.swagger(), null, 2)}\n`)
  await service.close()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
