// SPDX-License-Identifier: MIT
// Why a rollout is in its state, in the reader's language. The control plane's own sentences are in English and say more (names,
// counts, times): who reads English has those, others have these first and those beside them.
import { language } from '../../languages/language.ts'
import { t } from '../../languages/t.ts'
import type { Rollout } from '../../lib/api-types.ts'
import { forPeople } from '../../lib/people-words.ts'

/** '': what its author wrote, which is in no table. */
export const reasonWords: Record<Rollout['reasonCode'], string> = {
  text: '',
  planned: t('It is planned.'),
  awaiting_approval: t('It waits for approval by somebody other than its author.'),
  not_approved: t('It was not approved in time. A new order asks again.'),
  scheduled: t('It begins by itself at the time it was ordered for.'),
  window_closed: t('It begins by itself when the next change window opens.'),
  queued: t('Another rollout has some of its nodes. It begins by itself when they are free.'),
  nodes_taken: t(
    'When its time came another rollout had some of its nodes, and its order was to refuse then.',
  ),
  contains_reverted: t(
    'It contains a version that was taken back while it waited, so it does not begin by itself.',
  ),
  replaced: t('Another rollout took its place before it began.'),
  cancelled: t('It was cancelled before it began.'),
  rejected: t('It was rejected.'),
  files_first: t('Its files go to all nodes first. Then the first wave begins.'),
  waiting_for_nodes: t('It waits for nodes of this wave.'),
  nobody_left: t(
    'Nobody of this wave is left to prove the version; the next node that is there does.',
  ),
  soaking: t('The nodes of this wave are healthy and are watched before the next wave begins.'),
  awaiting_evidence: t('The nodes of this wave are healthy; evidence is being gathered.'),
  nodes_away: t(
    'Nodes that took the version are not connected. It goes on by itself when they return.',
  ),
  wave_window_closed: t('The next wave begins by itself when the change window opens.'),
  nodes_failed: t('Nodes refused the version or failed with it.'),
  nodes_late: t('Nodes have not answered in time. It goes on by itself when they answer.'),
  none_reached: t(
    'None of its nodes could be reached, so nothing is proven. It goes on by itself when one answers.',
  ),
  too_many_away: t('More nodes are away than may be. It goes on by itself when enough are back.'),
  manual: t('Somebody paused it.'),
  gate_failed: t('A gate of this wave failed.'),
  gate_no_data: t('A gate of this wave has no evidence.'),
  gate_inconclusive: t('A gate of this wave cannot tell.'),
  deadline: t('It took too long.'),
  control_plane_restart: t(
    'The control plane was away. It goes on by itself when the nodes are back.',
  ),
  storage_full: t('The disk of the control plane was full.'),
  frozen: t('It was frozen: nodes without the version keep what they have.'),
  all_have_it: t('All nodes have the version.'),
  nothing_to_do: t('Nothing to do: all nodes have the version already.'),
  others_later: t('The others will take the version when they are reached.'),
  without_some: t('It went on without some nodes.'),
  some_failed: t('Some nodes do not have the version, which is within what may fail.'),
  unproven: t('Nothing is proven.'),
  going_back: t('It goes back; it waits for nodes.'),
  back_in_part: t('It went back, but not on all nodes.'),
  went_back: t('It went back.'),
}

export type ReasonTold = { words: string; isEnglish: boolean }

/** In a line. */
export function reasonTold(
  { headline, reason, reasonCode }: Pick<Rollout, 'headline' | 'reason' | 'reasonCode'>,
  isEnglishRead = language === 'en',
): ReasonTold {
  const own = isEnglishRead ? '' : reasonWords[reasonCode]
  if (own !== '') return { words: own, isEnglish: false }
  return { words: forPeople(headline) || forPeople(reason), isEnglish: true }
}
