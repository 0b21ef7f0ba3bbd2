// SPDX-License-Identifier: MIT
// What can be done with a rollout. Each carries the state it was decided on, so that nothing is done
// to a rollout that has moved on meanwhile.
import type { Command } from 'commander'
import { type Api, bodyOf } from '../api.ts'
import type { Rollout } from '../api-types.ts'
import { type Act, agree } from '../command.ts'
import { showRollout, toShow } from '../rollouts/tasks.ts'
import { rolloutLines } from '../rollouts/view.ts'
import { findRollout, WHICH } from '../rollouts/watch.ts'
import { examples } from './examples.ts'

type Options = { reason?: string; yes?: boolean }
type Init = { params: { path: { id: string } }; body: { stateVersion: number; reason?: string } }
type Action = {
  name: string
  description: string
  example: string
  /** Who must say why, and who may. */
  reason?: 'needed' | 'optional'
  /** Asked first: what it does to nodes is not taken back by another word. */
  question?: (rollout: Rollout) => string
  /** What is agreed to is shown before. */
  isShown?: true
  send: (api: Api, init: Init, rollout: Rollout) => Promise<Rollout>
}

const ACTIONS: readonly Action[] = [
  {
    name: 'approve',
    description: 'agree to the plan of a rollout that somebody else ordered',
    example: 'farmctl rollout approve rollout_01jd… --yes',
    question: ({ config, version, planDigest }) =>
      `Approve ${config}@${version}, plan ${planDigest}?`,
    isShown: true,
    send: (api, { params, body: { stateVersion } }, { planDigest }) => {
      const body = { stateVersion, planDigest }
      return bodyOf(api.POST('/api/v1/rollouts/{id}/actions/approve', { params, body }))
    },
  },
  {
    name: 'reject',
    description: 'say no to a rollout that awaits approval, which ends it',
    example: 'farmctl rollout reject --reason "Not on Friday"',
    reason: 'needed',
    send: (api, { params, body }) =>
      bodyOf(
        api.POST('/api/v1/rollouts/{id}/actions/reject', { params, body: { reason: '', ...body } }),
      ),
  },
  {
    name: 'cancel',
    description: 'end a rollout that has not begun',
    example: 'farmctl rollout cancel rollout_01jd…',
    send: (api, init) => bodyOf(api.POST('/api/v1/rollouts/{id}/actions/cancel', init)),
  },
  {
    name: 'pause',
    description: 'offer it to no further node until it is resumed; nodes under way go on',
    example: 'farmctl rollout pause --reason "The traffic of the match"',
    reason: 'optional',
    send: (api, init) => bodyOf(api.POST('/api/v1/rollouts/{id}/actions/pause', init)),
  },
  {
    name: 'resume',
    description: 'go on; without the nodes that failed, when they are why it was paused',
    example: 'farmctl rollout resume && farmctl rollout watch',
    send: (api, init) => bodyOf(api.POST('/api/v1/rollouts/{id}/actions/resume', init)),
  },
  {
    name: 'skip-gate',
    description: 'begin the next wave without waiting for time or evidence',
    example: 'farmctl rollout skip-gate --reason "No traffic at night"',
    reason: 'needed',
    send: (api, { params, body }) =>
      bodyOf(
        api.POST('/api/v1/rollouts/{id}/actions/skip-gate', {
          params,
          body: { reason: '', ...body },
        }),
      ),
  },
  {
    name: 'revert',
    description: 'give back to every node what it had before',
    example: 'farmctl rollout revert --reason "Wrong root" --yes',
    reason: 'optional',
    question: ({ id, config, version }) => `Take ${config}@${version} back (${id})?`,
    send: (api, init) => bodyOf(api.POST('/api/v1/rollouts/{id}/actions/revert', init)),
  },
  {
    name: 'freeze',
    description: 'end a rollout as it is: nodes keep what they have now',
    example: 'farmctl rollout freeze rollout_01jd… --yes',
    question: ({ id, state }) => `End ${id} (${state}) as it is?`,
    send: (api, init) => bodyOf(api.POST('/api/v1/rollouts/{id}/actions/freeze', init)),
  },
]

export function registerRolloutActions(rollout: Command, act: Act): void {
  for (const action of ACTIONS) registerAction(rollout, act, action)
}

function registerAction(rollout: Command, act: Act, action: Action): void {
  const { name, description, example, reason, question, isShown, send } = action
  const command = rollout.command(name).description(description).argument('[id]', WHICH)
  const why = 'why; the audit keeps it'
  if (reason === 'needed') command.requiredOption('--reason <text>', why)
  if (reason === 'optional') command.option('--reason <text>', why)
  if (question) command.option('-y, --yes', 'do not ask')
  examples(command, [example])
  act<Options>(command, async (tool, options, id) => {
    const api = tool.api()
    const found = await findRollout(api, id)
    if (isShown && !tool.json) {
      tool.terminal.note(rolloutLines(found, await toShow(api, found)).join('\n'))
    }
    if (question) await agree(tool, options.yes, question(found))
    const body = {
      stateVersion: found.stateVersion,
      ...(options.reason !== undefined && { reason: options.reason }),
    }
    const after = await send(api, { params: { path: { id: found.id } }, body }, found)
    await showRollout(tool, after, rolloutLines)
  })
}
