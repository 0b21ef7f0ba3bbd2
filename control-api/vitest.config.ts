// SPDX-License-Identifier: MIT
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Argon2 costs 64 MiB and tens of milliseconds a time, and two cores may be shared with the C build.
  test: { include: ['test/**/*.test.ts'], testTimeout: 20_000, hookTimeout: 20_000, maxWorkers: 2 },
})
