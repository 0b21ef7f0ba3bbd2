// SPDX-License-Identifier: MIT
// What `farmctl compare-servers --json` writes, cut to what the console reads; e2e has a real one.
import type { Report } from '../features/configs/import/comparison/report-file.ts'

const answer = (status: number, headers: Record<string, string>, sha256 = 'a'.repeat(64)) => ({
  ...{ status, headers: Object.entries(headers), bytes: 12, sha256 },
})

const run = (side: 'old' | 'new', p99Seconds: number, doubts: string[] = []) => ({
  ...{ side, doubts },
  counted: {
    ...{ elapsedSeconds: 5, requests: 10_000_000, good: 9_999_999, socketFaults: 0 },
    stages: { latency: { maxNs: 4e7, p50Seconds: 0.001, p95Seconds: 0.002, p99Seconds } },
  },
})

export const comparisonFile = (change: Partial<Report> = {}) => ({
  ...{ kind: 'farmstead.comparison', version: 1, startedAt: '2026-11-28T07:00:00.000Z' },
  servers: { old: 'http://localhost:80', new: 'http://localhost:8080' },
  ...{ host: 'shop.example', paths: 30 },
  differences: [
    { path: '/.git/x', aspect: 'status', old: '200', new: '404' },
    { path: '/a.css', aspect: 'cache-control', old: 'max-age=60', new: 'none' },
    { path: '/a.css', aspect: 'coding, of who takes gzip', old: 'none', new: 'gzip' },
  ],
  answers: [
    {
      ...{ path: '/.git/x', gzip: false },
      old: answer(200, { 'content-type': 'text/plain' }),
      new: answer(404, { 'content-type': 'text/html' }, 'b'.repeat(64)),
    },
    {
      ...{ path: '/a.css', gzip: false },
      old: answer(200, { server: 'nginx', 'cache-control': 'max-age=60', etag: '"1"' }),
      new: answer(200, { server: 'farmstead', etag: '"2"' }),
    },
  ],
  runs: [run('old', 0.02), run('new', 0.003, ['farmload itself was late.'])],
  ...change,
})

/** As many requests as one may have to look through. */
export const manyDiffering = (count: number) =>
  comparisonFile({
    ...{ paths: count, answers: [], runs: [] },
    differences: Array.from({ length: count }, (_, i) => ({
      ...{ path: `/page/${i}`, aspect: 'status', old: '200', new: '404' },
    })),
  })

export const asFile = (content: unknown, name = 'comparison.json'): File =>
  new File([typeof content === 'string' ? content : JSON.stringify(content)], name)
