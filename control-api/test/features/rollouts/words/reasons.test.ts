// SPDX-License-Identifier: MIT
// Every reason in words: for who sees all its nodes, and for who sees some.
import { describe, expect, it, test } from 'vitest'
import { nodesOf } from '../../../../src/features/rollouts/reducer/because.ts'
import {
  REASON_CODES,
  type Reason,
  type ReasonCode,
  type Told,
  type Why,
} from '../../../../src/features/rollouts/shapes/reason.ts'
import { type Audience, EVERYBODY } from '../../../../src/features/rollouts/words/audience.ts'
import { tellHeadline } from '../../../../src/features/rollouts/words/headline.ts'
import { tellReason } from '../../../../src/features/rollouts/words/reasons.ts'
import { HOLDS, taskMessage, tellWhy } from '../../../../src/features/rollouts/words/why-words.ts'

const OWN = { id: 'own', name: 'edge-1' }
const FOREIGN = { id: 'foreign', name: 'vault-7' }
const [BOTH, NONE] = [nodesOf([OWN, FOREIGN]), nodesOf([])]
const OTHER = 'rollout_00000000000000000000000000'
const KNOWN = 'rollout_11111111111111111111111111'
const PART: Audience = {
  isWhole: false,
  sees: (id) => id === OWN.id,
  seesRollout: (id) => id === KNOWN,
}
/** In words for some of the nodes none of these may be: they are of all of them, or a person's text. */
const [DONE, TOTAL] = [7013, 9017]
const counts = { doneNodes: DONE, totalNodes: TOTAL }
const at = { wave: 1, waves: 7013, isFastPath: false, standIn: null }
const closed = { opens: 'Mon 2026-11-30 08:00', timeZone: 'Europe/Berlin' }
const finding = { text: 'the share of 5xx is 7013 higher than the others’', silent: null }
const paused: Why = { cause: 'paused', by: 'ana', why: 'vault-7 is odd' }
const told = (node: Told['node'], change: Partial<Told> = {}): Told => ({
  node,
  state: 'nacked',
  errorCode: 'schema',
  message: 'no such key in vault-7',
  leftOutFor: null,
  line: 7,
  ...change,
})
const held = { why: paused, leftAlone: null }

type Row = {
  [Code in ReasonCode]: { reason: Extract<Reason, { code: Code }>; whole: string; part: string }
}
const WAY_OUT = 'Revert takes back what was changed, freeze ends the rollout as it is.'
const until = '2026-11-30T08:00:00Z'
const BY_ITSELF = 'It begins by itself, cancel ends it.'
const HELD = `ana paused it: vault-7 is odd.`
const HELD_PART = 'ana paused it.'
const same = <R extends Reason>(reason: R, whole: string) => ({ reason, whole, part: whole })
const ROWS: Row = {
  text: { reason: { code: 'text', text: 'vault-7 is late.' }, whole: 'vault-7 is late.', part: '' },
  planned: same({ code: 'planned' }, 'Planned.'),
  awaiting_approval: same(
    { code: 'awaiting_approval', given: 1, needed: 2, until },
    `It has 1 of 2 approvals; expires ${until}. Somebody other than its author approves or rejects it, cancel ends it.`,
  ),
  not_approved: same(
    { code: 'not_approved', given: 1, needed: 2, until },
    `It had 1 of 2 approvals by ${until}. A new order asks again.`,
  ),
  scheduled: same({ code: 'scheduled', at: until }, `It begins ${until}. ${BY_ITSELF}`),
  window_closed: same(
    { code: 'window_closed', closed },
    `No change window is open: the next opens Mon 2026-11-30 08:00 (Europe/Berlin). ${BY_ITSELF}`,
  ),
  queued: {
    reason: { code: 'queued', rolloutIds: [KNOWN, OTHER] },
    whole: `${KNOWN}, ${OTHER} have some of its nodes, or are ahead of it in the queue for them. It begins by itself when its nodes are free; cancel ends it.`,
    part: `${KNOWN}, another rollout have some of its nodes, or are ahead of it in the queue for them. It begins by itself when its nodes are free; cancel ends it.`,
  },
  nodes_taken: {
    reason: { code: 'nodes_taken', rolloutIds: [OTHER] },
    whole: `When its time came, ${OTHER} has some of its nodes, and its order was to refuse then. A new order with "onOverlap": "queue" waits.`,
    part: 'When its time came, another rollout has some of its nodes, and its order was to refuse then. A new order with "onOverlap": "queue" waits.',
  },
  contains_reverted: {
    reason: { code: 'contains_reverted', version: 2, rolloutId: OTHER, orderId: KNOWN },
    whole: `It contains version 2, which ${OTHER} took back while it waited: so it does not begin by itself. If it mends that, order it again: farmctl rollout again ${KNOWN}.`,
    part: `It contains version 2, which another rollout took back while it waited: so it does not begin by itself. If it mends that, order it again: farmctl rollout again ${KNOWN}.`,
  },
  replaced: {
    reason: { code: 'replaced', rolloutId: OTHER },
    whole: `Rollout ${OTHER} took its place before it began.`,
    part: 'Another rollout took its place before it began.',
  },
  cancelled: same({ code: 'cancelled', by: 'ana' }, 'ana cancelled it before it began.'),
  rejected: {
    reason: { code: 'rejected', by: 'ana', why: 'vault-7 is odd' },
    whole: 'ana rejected it: vault-7 is odd',
    part: 'ana rejected it.',
  },
  files_first: {
    reason: {
      code: 'files_first',
      heldNodes: DONE,
      refusedNodes: TOTAL,
      refusals: [{ node: FOREIGN, errorCode: 'resource_limit', message: 'no room on vault-7.' }],
      waiting: BOTH,
      stillSeconds: 300,
    },
    whole:
      'Its files go to all nodes first: 7013 of 16032 have them; waiting for edge-1, vault-7. vault-7 refused them (resource_limit): no room on vault-7. 9016 more refused them, too. When none comes further for 300 s, the first wave begins all the same; skip-gate begins it now.',
    part: 'Its files go to all nodes first; waiting for edge-1 and nodes outside your scope. When none comes further for 300 s, the first wave begins all the same; skip-gate begins it now.',
  },
  waiting_for_nodes: {
    reason: {
      code: 'waiting_for_nodes',
      at,
      ...counts,
      open: BOTH,
      withoutRoomNodes: DONE,
      roomHeldBy: [OTHER],
    },
    whole: `Wave 2 of 7013: 7013 of 9017 nodes have the version; waiting for edge-1, vault-7. 7013 of them wait until ${OTHER} leaves room in the farm's blast budget.`,
    part: "Wave 2: waiting for edge-1 and nodes outside your scope. Some nodes wait until another rollout leaves room in the farm's blast budget.",
  },
  nobody_left: {
    reason: { code: 'nobody_left', at, called: BOTH },
    whole:
      'Wave 2 of 7013: nobody of the wave is left to prove the version; the next node that is there does: edge-1, vault-7.',
    part: 'Wave 2: nobody of the wave is left to prove the version; the next node that is there does: edge-1 and nodes outside your scope.',
  },
  soaking: {
    reason: {
      code: 'soaking',
      at: { ...at, standIn: { node: FOREIGN, missing: BOTH } },
      soakSeconds: 60,
    },
    whole:
      'Wave 2 of 7013: vault-7 takes the place of edge-1, vault-7. its nodes are healthy and are watched for 60 s before the next wave begins.',
    part: 'Wave 2: a node outside your scope takes the place of edge-1 and nodes outside your scope. its nodes are healthy and are watched for 60 s before the next wave begins.',
  },
  awaiting_evidence: {
    reason: { code: 'awaiting_evidence', at, finding, isProbed: true, maxSoakSeconds: 120 },
    whole:
      'Wave 2 of 7013: its nodes are healthy; the share of 5xx is 7013 higher than the others’. Nodes fetch its probes from themselves meanwhile. Without evidence it pauses after 120 s.',
    part: 'Wave 2: its nodes are healthy; evidence is being gathered. Nodes fetch its probes from themselves meanwhile. Without evidence it pauses after 120 s.',
  },
  nodes_away: {
    reason: { code: 'nodes_away', away: nodesOf([FOREIGN]) },
    whole: `vault-7 took the version and is not connected. It goes on by itself on return, resume goes on without. ${WAY_OUT}`,
    part: `Nodes outside your scope took the version and are not connected. It goes on by itself on return, resume goes on without. ${WAY_OUT}`,
  },
  wave_window_closed: {
    reason: {
      code: 'wave_window_closed',
      closed: { ...closed, opens: null },
      wave: 1,
      waves: DONE,
    },
    whole: `No change window is open: none opens within two weeks (Europe/Berlin). Wave 2 of 7013 begins by itself then. ${WAY_OUT}`,
    part: `No change window is open: none opens within two weeks (Europe/Berlin). Wave 2 begins by itself then. ${WAY_OUT}`,
  },
  nodes_failed: {
    reason: {
      code: 'nodes_failed',
      first: told(FOREIGN),
      failed: nodesOf([FOREIGN, OWN]),
      leftOut: BOTH,
      kind: 'Debian 7013',
      isOfItsOwner: false,
    },
    whole: `vault-7 refused the version (schema): no such key in vault-7, line 7. 1 more node likewise. Nodes of its kind with the same text are not offered it; a plan can leave out all of its kind, Debian 7013 ("excludeKinds" in an order’s strategy). Left out, for they would refuse it too: edge-1, vault-7. Resume goes on without them. ${WAY_OUT}`,
    part: `A node outside your scope refused the version. Likewise: edge-1. Nodes of its kind with the same text are not offered it; a plan can leave out all of its kind ("excludeKinds" in an order’s strategy). Left out, for they would refuse it too: edge-1 and nodes outside your scope. Resume goes on without them. ${WAY_OUT}`,
  },
  nodes_late: {
    reason: { code: 'nodes_late', first: told(FOREIGN), late: nodesOf([FOREIGN, OWN]) },
    whole: `vault-7: no such key in vault-7 1 more node likewise. It goes on by itself when the node answers. ${WAY_OUT}`,
    part: `A node outside your scope: it has not answered. Likewise: edge-1. It goes on by itself when the node answers. ${WAY_OUT}`,
  },
  none_reached: {
    reason: { code: 'none_reached', totalNodes: TOTAL },
    whole: `None of 9017 nodes could be reached, so nothing is proven. It goes on by itself when one answers. ${WAY_OUT}`,
    part: `None of its nodes could be reached, so nothing is proven. It goes on by itself when one answers. ${WAY_OUT}`,
  },
  too_many_away: {
    reason: { code: 'too_many_away', away: BOTH, maxPercent: 10 },
    whole: `edge-1, vault-7 cannot be reached: more than 10 % of the nodes. It goes on by itself when enough are back, resume goes on without them. ${WAY_OUT}`,
    part: `edge-1 and nodes outside your scope cannot be reached: more than 10 % of the nodes. It goes on by itself when enough are back, resume goes on without them. ${WAY_OUT}`,
  },
  manual: {
    reason: { code: 'manual', ...held },
    whole: `${HELD} Resume goes on. ${WAY_OUT}`,
    part: `${HELD_PART} Resume goes on. ${WAY_OUT}`,
  },
  gate_failed: {
    reason: { code: 'gate_failed', why: { cause: 'gate', finding }, leftAlone: null },
    whole: `the share of 5xx is 7013 higher than the others’. Resume watches its nodes anew, skip-gate goes on without. ${WAY_OUT}`,
    part: `A gate failed. Resume watches its nodes anew, skip-gate goes on without. ${WAY_OUT}`,
  },
  gate_no_data: {
    reason: {
      code: 'gate_no_data',
      why: {
        cause: 'no_evidence',
        maxSoakSeconds: 120,
        finding: { text: 'no measurements have come from edge-1, vault-7 for 30 s', silent: BOTH },
      },
      leftAlone: { follows: 'revert', afterSeconds: 600 },
    },
    whole: `After 120 s: no measurements have come from edge-1, vault-7 for 30 s. Resume watches its nodes anew, skip-gate goes on without evidence. ${WAY_OUT} Left alone, it goes back once no further node became healthy for 600 s.`,
    part: `After 120 s: no measurements have come from edge-1 and nodes outside your scope. Resume watches its nodes anew, skip-gate goes on without evidence. ${WAY_OUT} Left alone, it goes back once no further node became healthy for 600 s.`,
  },
  gate_inconclusive: {
    reason: {
      code: 'gate_inconclusive',
      why: { cause: 'no_evidence', maxSoakSeconds: 120, finding },
      leftAlone: { follows: 'freeze', afterSeconds: 600 },
    },
    whole: `After 120 s: the share of 5xx is 7013 higher than the others’. Resume watches its nodes anew, skip-gate goes on all the same. ${WAY_OUT} Left alone, it is frozen once no further node became healthy for 600 s.`,
    part: `A gate cannot tell. Resume watches its nodes anew, skip-gate goes on all the same. ${WAY_OUT} Left alone, it is frozen once no further node became healthy for 600 s.`,
  },
  deadline: same(
    { code: 'deadline', why: { cause: 'no_progress', withinSeconds: 600 }, leftAlone: null },
    `No further node became healthy within 600 s. Resume gives it that time again. ${WAY_OUT}`,
  ),
  control_plane_restart: {
    reason: {
      code: 'control_plane_restart',
      why: { cause: 'unheard', unheard: BOTH },
      leftAlone: null,
    },
    whole: `The control plane was away, and waits until the nodes under way have been heard again: edge-1, vault-7. It goes on by itself then, resume goes on without them. ${WAY_OUT}`,
    part: `The control plane was away, and waits until the nodes under way have been heard again: edge-1 and nodes outside your scope. It goes on by itself then, resume goes on without them. ${WAY_OUT}`,
  },
  storage_full: same(
    { code: 'storage_full', why: { cause: 'storage_was_full' }, leftAlone: null },
    `The disk of the control plane was full, so that nothing more could be decided. Resume goes on once there is room again. ${WAY_OUT}`,
  ),
  frozen: {
    reason: {
      code: 'frozen',
      why: { cause: 'froze', by: `rollout ${OTHER}`, rolloutId: OTHER },
      isHopeless: false,
      ...counts,
      applying: nodesOf([FOREIGN]),
    },
    whole: `rollout ${OTHER} froze it: 7013 of 9017 nodes have the version, the others keep what they have. vault-7 had begun to apply it. A new rollout moves them on.`,
    part: 'Another rollout froze it: nodes without the version keep what they have. Nodes outside your scope had begun to apply it. A new rollout moves them on.',
  },
  all_have_it: {
    reason: { code: 'all_have_it', doneNodes: DONE, passedBy: nodesOf([FOREIGN]) },
    whole:
      'All 7013 nodes have the version. vault-7 was skipped, being cordoned: the next rollout after that brings what is missing.',
    part: 'All nodes it was to change have the version. Nodes outside your scope were skipped, being cordoned: the next rollout after that brings what is missing.',
  },
  nothing_to_do: {
    reason: { code: 'nothing_to_do', doneNodes: DONE, passedBy: NONE },
    whole: 'Nothing to do: all 7013 nodes have the version already.',
    part: 'Nothing to do: all nodes it was to change have the version already.',
  },
  others_later: {
    reason: { code: 'others_later', ...counts, others: nodesOf([FOREIGN]), passedBy: NONE },
    whole: '7013 of 9017 nodes have the version; vault-7 will take it when reached.',
    part: 'Nodes outside your scope will take it when reached.',
  },
  without_some: {
    reason: { code: 'without_some', ...counts, others: BOTH, passedBy: NONE },
    whole: '7013 of 9017 nodes have the version; an operator went on without edge-1, vault-7.',
    part: 'An operator went on without edge-1 and nodes outside your scope.',
  },
  some_failed: {
    reason: { code: 'some_failed', ...counts, others: nodesOf([OWN]), passedBy: NONE },
    whole: '7013 of 9017 nodes have the version; edge-1 does not, which is within what may fail.',
    part: 'edge-1 does not have the version, which is within what may fail.',
  },
  unproven: {
    reason: {
      code: 'unproven',
      isEmpty: false,
      without: BOTH,
      gone: nodesOf([OWN]),
      passedBy: NONE,
    },
    whole:
      'Nothing is proven: an operator went on without edge-1, vault-7; edge-1 is gone. New nodes go on getting what was released before.',
    part: 'Nothing is proven: an operator went on without edge-1 and nodes outside your scope; edge-1 is gone. New nodes go on getting what was released before.',
  },
  going_back: {
    reason: {
      code: 'going_back',
      why: { cause: 'took_back', by: 'ana', why: 'vault-7 is odd' },
      backNodes: DONE,
      totalNodes: TOTAL,
      open: BOTH,
    },
    whole:
      'ana takes it back: vault-7 is odd. 7013 of 9017 nodes have again what they had; waiting for edge-1, vault-7. Freeze ends it as it is.',
    part: 'ana takes it back. Waiting for edge-1 and nodes outside your scope. Freeze ends it as it is.',
  },
  back_in_part: {
    reason: {
      code: 'back_in_part',
      why: { cause: 'node_failed', failed: told(FOREIGN, { state: 'unhealthy' }) },
      backNodes: DONE,
      still: nodesOf([FOREIGN]),
      failed: nodesOf([OWN]),
    },
    whole:
      'vault-7 is not well with the version: no such key in vault-7, line 7. 7013 nodes have again what they had; vault-7 will go back when reached; edge-1 could not go back: look there now. A new rollout can have its nodes.',
    part: 'A node outside your scope is not well with the version. Nodes outside your scope will go back when reached; edge-1 could not go back: look there now. A new rollout can have its nodes.',
  },
  went_back: {
    reason: { code: 'went_back', why: { cause: 'text', text: 'vault-7 fell.' }, backNodes: DONE },
    whole: 'vault-7 fell. 7013 nodes have again what they had.',
    part: 'It goes back. Its nodes have again what they had.',
  },
}

describe('a reason in words', () => {
  it('has words for every code that the API names, and no other', () => {
    expect([...REASON_CODES].sort()).toEqual(Object.keys(ROWS).sort())
  })

  test.each(Object.entries(ROWS))('%s', (code, { reason, whole, part }) => {
    expect(reason.code).toBe(code)
    expect(tellReason(reason)).toBe(whole)
    expect(tellReason(reason, PART)).toBe(part)
    expect(part).not.toMatch(/vault|7013|9017|rollout_0/)
  })

  it('is the same after it was stored', () => {
    for (const { reason, whole } of Object.values(ROWS)) {
      expect(tellReason(JSON.parse(JSON.stringify(reason)))).toBe(whole)
    }
  })

  it('names three nodes, and says of many only how many there are', () => {
    const many = Array.from({ length: 70 }, (_, i) => ({ id: `n${i}`, name: `n${i}` }))
    const away = (nodes: typeof many): Reason => ({ code: 'nodes_away', away: nodesOf(nodes) })
    expect(tellReason(away(many))).toMatch(/^n0, n1, n2 and 67 more took the version and are not/)
    const sees = (...ids: string[]): Audience => ({ ...PART, sees: (id) => ids.includes(id) })
    // Whose those are that were only counted nobody knows.
    expect(tellReason(away(many), sees('n69'))).toMatch(/^Other nodes took the version and are not/)
    expect(tellReason(away(many), sees('n1', 'n69'))).toMatch(/^n1 and others took the version/)
    const five = many.slice(0, 5)
    const four = sees('n0', 'n1', 'n2', 'n3')
    expect(tellReason(away(five), four)).toMatch(
      /^n0, n1, n2 and 1 more, and nodes outside your scope took/,
    )
    expect(tellReason(away(five.slice(0, 4)), four)).toMatch(/^n0, n1, n2 and 1 more took the/)
  })
})

describe.each(REASON_CODES)('the headline of %s', (code) => {
  const { reason } = ROWS[code]

  it('is one sentence, and says no less than that', () => {
    const told = tellHeadline(reason)
    expect(told).toMatch(/^[A-Z0-9]|^(ana|edge-1|vault-7|rollout_)/)
    expect(told).toMatch(/[^.;]\.$/)
    expect(told.slice(0, -1)).not.toMatch(/[.;]\s*[.;]|\. |undefined/)
  })

  it('names nothing to who sees some of its nodes', () => {
    const told = tellHeadline(reason, PART)
    expect(told).not.toMatch(/vault-7|7013|9017|undefined/)
    expect(told).not.toContain(OTHER)
    if (told !== '') expect(told).toMatch(/[^.;]\.$/)
  })
})

test('the headline of the last wave does not tell who sees some of the nodes how many waves there are', () => {
  const { reason } = ROWS.soaking
  const last = { ...reason, at: { ...at, wave: at.waves - 1 } } as Reason
  expect(tellHeadline(last)).toContain('it succeeds by itself when')
  expect(tellHeadline(last, PART)).toContain('it goes on by itself when')
})

test('what stopped it is told by kind to who may not be told more', () => {
  const silence = { text: 'no measurements have come from vault-7 for 30 s', silent: null }
  const why: Why = { cause: 'no_evidence', maxSoakSeconds: 9, finding: silence }
  expect(tellWhy(why, PART, HOLDS.gate_no_data)).toBe('A gate has no evidence.')
  expect(tellWhy({ ...why, finding: null }, PART, HOLDS.gate_no_data)).toBe(HOLDS.gate_no_data)
  expect(tellWhy({ ...why, finding: null }, EVERYBODY, '')).toBe(
    'After 9 s: no evidence was gathered.',
  )
})

test('who refused the files that go first is named to who sees it, and nobody is before somebody looked', () => {
  const { reason } = ROWS.files_first
  const refusals = [{ node: OWN, errorCode: 'resource_limit', message: 'no room' }]
  expect(tellReason({ ...reason, refusals }, PART)).toContain(
    ' edge-1 refused them (resource_limit): no room. When',
  )
  expect(tellReason({ ...reason, waiting: null })).toMatch(
    /^Its files go to all nodes first\. When/,
  )
  expect(tellHeadline({ ...reason, waiting: null })).toBe(
    'Its files go to all nodes first; the first wave begins when the others have them, too.',
  )
})

test('who was left out for a node outside the scope reads that it was one like it', () => {
  const leftOutFor = { node: FOREIGN, isOfItsOwner: false }
  const ofItsOwner = { ...leftOutFor, isOfItsOwner: true }
  const say = (of: typeof leftOutFor, audience: Audience) =>
    taskMessage({ message: '', leftOutFor: of }, audience)
  expect(say(leftOutFor, EVERYBODY)).toBe('vault-7, of the same kind, refused the same text')
  expect(say(leftOutFor, PART)).toBe('a node of the same kind refused the same text')
  expect(say(ofItsOwner, EVERYBODY)).toBe(
    'vault-7, whose owner’s policy is the same, refused the same text',
  )
  expect(say(ofItsOwner, PART)).toBe(
    'a node outside your scope, whose owner’s policy is the same, refused the same text',
  )
  expect(say({ ...leftOutFor, node: OWN }, PART)).toBe(
    'edge-1, of the same kind, refused the same text',
  )
})
