// SPDX-License-Identifier: MIT
// Browser tests over real farms: each starts its own control plane and nodes (fixtures/farm.ts).
import { defineConfig } from '@playwright/test'
import { COMPILED } from '../control-api/test/compiled.ts'
import { launchOptions } from './chromium.ts'

// Of the farms, not of the tests: five commands and a service for each, of the same modules.
Object.assign(process.env, COMPILED)

/** A rollout over real nodes takes seconds, and two cores are shared with the farm itself. */
const TEST_WITHIN_MS = 300_000
const ASSERTION_WITHIN_MS = 15_000

export default defineConfig({
  testDir: 'specs',
  outputDir: 'test-results',
  timeout: TEST_WITHIN_MS,
  expect: {
    timeout: ASSERTION_WITHIN_MS,
    toHaveScreenshot: {
      pathTemplate: 'appearance/{arg}{ext}',
      ...{ threshold: 0.03, maxDiffPixels: 100 },
    },
  },
  updateSnapshots: 'none',
  fullyParallel: false,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  reporter: [['list']],
  // The long ones first, so that no core is idle at the end; they need no shared farm.
  projects: [
    { name: 'journeys', testMatch: 'journeys/**' },
    { name: 'specs', testIgnore: 'journeys/**' },
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    // To record each action of each test is a seventh of all the work: `npm test` does it when it tries what fell
    // once more, alone; elsewhere `--trace on`.
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions,
  },
})
