// SPDX-License-Identifier: MIT
// What is printed of the service itself: builds one over an empty folder, which is gone afterwards.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildService, type Overrides, type Service } from './app.ts'
import { envToConfig } from './environment/config.ts'

export async function printFrom(
  textOf: (service: Service) => string,
  overrides: Overrides = {},
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'farmstead-print-'))
  try {
    const config = envToConfig({
      FARMSTEAD_DATA_DIR: dataDir,
      FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
      FARMSTEAD_LOG_LEVEL: 'silent',
    })
    const service = await buildService(config, overrides)
    await service.app.ready()
    process.stdout.write(textOf(service))
    await service.close()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
