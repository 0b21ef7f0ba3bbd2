// SPDX-License-Identifier: MIT
import { defineError } from '../../../api-shapes/errors.ts'

export const PreviewNotFound = defineError(
  404,
  'preview_not_found',
  'No such preview',
  (id: string) =>
    `There is no preview ${id}: it has ended, or its node is outside your scope. GET /api/v1/releases/{name}/previews lists what there is.`,
)
export const PreviewsOff = defineError(
  409,
  'previews_off',
  'There is no name for previews',
  () =>
    'Nobody said under which names nodes show versions of releases. Set FARMSTEAD_PREVIEW_HOST of the control plane, such as v{version}-{release}.{node}.preview.example.org, and start it anew.',
)
export const PreviewNotServed = defineError(
  409,
  'preview_not_served',
  'The node has no site for the release',
  (node: string, release: string) =>
    `The config that ${node} runs names no site of the release "${release}", so there are no rules by which to show it. Choose a node that serves the release: GET /api/v1/releases/${release}/nodes lists them.`,
)
export const PreviewExists = defineError(
  409,
  'preview_exists',
  'The node shows it already',
  (node: string, host: string) =>
    `${node} shows these files already, or others under this name (${host}). End that preview first to get a new password.`,
)
export const PreviewHostTaken = defineError(
  409,
  'preview_host_taken',
  'The name is not free',
  (host: string) =>
    `"${host}" is the name of a site on that node, or no host name at all (a part of it has more than 63 characters). Choose another FARMSTEAD_PREVIEW_HOST.`,
)
export const TooManyPreviews = defineError(
  409,
  'too_many_previews',
  'There are enough previews',
  (where: string, most: number) =>
    `${where} at most ${most} at once. End one that nobody needs any more, or wait for its end.`,
)
