// SPDX-License-Identifier: MIT
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { forPeople } from './people-words.ts'

const id = 'node_01jd4q6v2m8w3x5y7z9abcdefg'

describe('a sentence of the control plane, for people', () => {
  test.each([
    [
      `There is no node ${id}. GET /api/v1/nodes lists them; it may have been decommissioned.`,
      'There is no such node. It may have been decommissioned.',
    ],
    [
      'There is a group "eu". Change it with PUT or PATCH /api/v1/groups/eu, or choose another name.',
      'There is a group "eu". Choose another name.',
    ],
    [
      'Nothing was started. Look at the plan again: POST /api/v1/rollouts?dryRun=1.',
      'Nothing was started. Look at the plan again.',
    ],
    [
      'the newest is 3 days old, and the last attempt failed: GET /api/v1/backups says why',
      'The newest is 3 days old, and the last attempt failed.',
    ],
    ['Take it away first, with DELETE /api/v1/session/second-factor.', 'Take it away first.'],
    [
      'Cancel one, POST /api/v1/rollouts/{id}/actions/cancel, or wait until one has begun.',
      'Cancel one, or wait until one has begun.',
    ],
    [
      'A plan can leave out all of its kind, FreeBSD 14 ("excludeKinds" in an order’s strategy).',
      'A plan can leave out all of its kind, FreeBSD 14.',
    ],
    ['rollout_01jd4q6v2m8w3x5y7z9abcdefg owns them.', 'rollout …bcdefg owns them.'],
    [
      '"fileCache.maxBytes" must be at least 1, got 0',
      '"fileCache.maxBytes" must be at least 1, got 0',
    ],
    ['Wave 1 of 2: p99 is 1.2 times the others’.', 'Wave 1 of 2: p99 is 1.2 times the others’.'],
  ])('%s', (said, shown) => {
    expect(forPeople(said)).toBe(shown)
  })

  test('every message of the control plane can be shown: no request and no id is left in it', () => {
    const src = join(import.meta.dirname, '../../../control-api/src')
    const said = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?:errors|reasons|refusals|rules|routes)\.ts$/.test(file))
      .flatMap((file) => [
        ...readFileSync(join(src, file), 'utf8').matchAll(
          /[`'](?:[A-Z$][^`'\n]*)\/api\/v1[^`'\n]*[`']/g,
        ),
      ])
      .map(([quoted]) => quoted.slice(1, -1).replaceAll(/\$\{(?:id|\w+\.id)\}/g, id))
    expect(said.length).toBeGreaterThan(15)
    const shown = said.map(forPeople)
    expect(
      shown.filter((one) => /\/api\/|\b(GET|POST|PUT|PATCH|DELETE)\b|_01jd/.test(one)),
    ).toEqual([])
  })
})
