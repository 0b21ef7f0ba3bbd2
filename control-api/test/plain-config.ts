// SPDX-License-Identifier: MIT
// The config of a service that nobody reaches from elsewhere: for tests, and for benches, which know no vitest.
import { resolve } from 'node:path'
import type { Config } from '../src/environment/config.ts'

export const nodeBinary = resolve(
  import.meta.dirname,
  '../../server-c/build/release/farmstead-node',
)

export const plainConfig = (dataDir: string): Config => ({
  dataDir,
  databaseUrl: null,
  secretsKeyFile: null,
  nodeBinary,
  agentUrl: 'http://127.0.0.1:9701',
  host: '127.0.0.1',
  port: 0,
  agentTransport: 'insecure-http',
  agent: { host: '127.0.0.1', port: 0 },
  consoleDir: null,
  basePath: '',
  trustProxy: false,
  publicUrl: null,
  tls: null,
  replica: null,
  releases: {
    ...{ maxFiles: 1_000_000, maxBytes: 100 * 1024 ** 3, storeBytes: 200 * 1024 ** 3 },
    keepHours: 24,
  },
  previewHost: null,
  reportEverySeconds: null,
  oidc: null,
  webhookAllow: [],
  smtp: null,
  otlp: null,
  logLevel: 'silent',
  backups: null,
})
