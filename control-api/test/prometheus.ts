// SPDX-License-Identifier: MIT
// The real Prometheus (Debian's), with a folder and a port of its own; it ends with the test.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../../scripts/testing/free-port.mjs'
import { tempDir } from './helper.ts'

export type Found = { metric: Record<string, string>; value: number }
type Answer = {
  status: string
  error?: string
  data: {
    result: {
      metric: Record<string, string>
      value?: [number, string]
      /** Of which we look at how many it counts. */
      histogram?: [number, { count: string }]
    }[]
  }
}

/**
 * Every half second each of its jobs; `jobs` is what stands below scrape_configs, as JSON, which YAML can read. Without native
 * histograms it asks for classic ones, as it does by itself.
 */
export async function startPrometheus(jobs: readonly object[], { isNative = true } = {}) {
  const dir = tempDir()
  const port = await freePort()
  const file = join(dir, 'prometheus.yml')
  const every = { scrape_interval: '500ms', scrape_timeout: '500ms' }
  writeFileSync(file, JSON.stringify({ global: every, scrape_configs: jobs }))
  const child = spawn(
    '/usr/bin/prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      ...(isNative ? ['--enable-feature=native-histograms'] : []),
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const get = async (path: string): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    return (await answer.json()) as Answer
  }
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isReady, { timeout: 60_000, interval: 50 }).toBe(true)

  return {
    /** Now; what is no number, as of nothing at all, is left out. Throws when it cannot be read. */
    async query(expression: string): Promise<Found[]> {
      const answer = await get(`/api/v1/query?${new URLSearchParams({ query: expression })}`)
      if (answer.status !== 'success') throw new Error(`${expression}: ${answer.error}`)
      return answer.data.result
        .map(({ metric, value, histogram }) => ({
          metric,
          value: Number(value?.[1] ?? histogram?.[1].count ?? 'NaN'),
        }))
        .filter(({ value }) => !Number.isNaN(value))
    },
  }
}
