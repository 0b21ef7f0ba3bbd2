// SPDX-License-Identifier: MIT
import { defineConfig } from 'vitest/config'
import { bundle } from './bundle.ts'
import { COMPILED, removeOldCompiled } from './test/compiled.ts'
import { LongFirst } from './test/long-first.ts'

// Each service begins threads: half of what such a thread takes is to compile the same modules again.
Object.assign(process.env, COMPILED)
removeOldCompiled()
// Once, and not by each worker that is the first to start a program.
await bundle()

export default defineConfig({
  // Argon2 costs 64 MiB and tens of milliseconds a time, and two cores may be shared with the C build.
  // A test waits half of its time, for processes and for argon2's own threads: four share two cores well.
  // Files share their modules: to load them and to compile a hundred schemas takes seconds, and there are 200 files.
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/set-up.ts'],
    isolate: false,
    // Some start the service three times; on a busy machine each start takes half a minute.
    testTimeout: 240_000,
    hookTimeout: 60_000,
    // What is waited for comes: this is for when it never would.
    expect: { poll: { timeout: 30_000, interval: 20 } },
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
  },
})
