// SPDX-License-Identifier: MIT
// Who serves a version of a release, who keeps it, and whether anybody still asks for it, in words.
import type { ReleaseVersion } from '../api-types.ts'

type OnNodes = ReleaseVersion['onNodes']

/** In a column. */
export function onNodesText({ servedByNodes, keptByNodes, requests }: OnNodes): string {
  const parts = [
    ...(servedByNodes > 0 ? [`served by ${servedByNodes}`] : []),
    ...(keptByNodes > 0 ? [`kept by ${keptByNodes}: ${requests} requests`] : []),
  ]
  return parts.join(', ')
}

export function onNodesSentence(onNodes: OnNodes): string {
  const { servedByNodes, keptByNodes, uncountedNodes, isSafeToDrop } = onNodes
  const parts = [
    ...(servedByNodes > 0 ? [`served by ${nodes(servedByNodes)}`] : []),
    keptByNodes > 0 ? `kept by ${nodes(keptByNodes)}, ${askedText(onNodes)}` : 'kept by no node',
    ...(uncountedNodes > 0 ? [`not known of ${nodes(uncountedNodes)}`] : []),
    ...(isSafeToDrop ? ['safe to drop'] : []),
  ]
  return `${parts.join('; ')}.`
}

/** Of nodes that started a while ago no more is known than since then. */
function askedText({ requests, quietSeconds }: OnNodes): string {
  const minutes = Math.floor((quietSeconds ?? 0) / 60)
  const time = minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`
  return `0 requests in ${time}${requests > 0 ? `, ${requests} before` : ''}`
}

const nodes = (count: number) => (count === 1 ? '1 node' : `${count} nodes`)
