// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { entryCause } from './timeline-rules.ts'

test('what an entry says is said for people', () => {
  const id = `rollout_${'0'.repeat(26)}`
  const reason = `edge-1 refused it. Compare them with GET /api/v1/nodes/${id}/drift. ${id} took its place.`
  const shown = entryCause({ reason })
  expect(shown).toContain('edge-1 refused it.')
  expect(shown).not.toContain('/api/v1')
  expect(shown).not.toContain(id)
  expect(entryCause({})).toBe('It says nothing more.')
})
