// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const WebhookNotFound = defineError(
  404,
  'webhook_not_found',
  'No such webhook',
  (id: string) => `There is no webhook ${id}. GET /api/v1/webhooks lists them.`,
)
export const BeyondYourEvents = defineError(
  403,
  'beyond_your_events',
  'More than you may hear yourself',
  (permissions: readonly string[]) =>
    `A webhook is told at most what you may see, and that takes ${permissions.join(', ')}, too. Name fewer events, or ask somebody who has them.`,
)
export const UrlRefused = defineError(
  422,
  'url_refused',
  'That is no address for a webhook',
  (url: string) =>
    `"${url}" must be an http or https URL without a user name and password: every delivery is signed, so the receiver needs none.`,
)
export const MailAddressRefused = defineError(
  422,
  'mail_address_refused',
  'That is no address for mail',
  (url: string) =>
    `"${url}" must be mailto: and one address, such as mailto:ops@example.org, with nothing behind it.`,
)
export const MailNotSetUp = defineError(
  422,
  'mail_not_set_up',
  'This control plane sends no mail',
  () =>
    'Who runs it sets FARMSTEAD_SMTP_URL and FARMSTEAD_SMTP_FROM; until then use an https address.',
)
export const TooManyWebhooks = defineError(
  409,
  'too_many_webhooks',
  'There are enough webhooks',
  (limit: number) => `There are ${limit}, which is the most. Delete one that nobody needs.`,
)
export const EventNotFound = defineError(
  404,
  'event_not_found',
  'No such event',
  (id: number) => `There is no event ${id}. GET /api/v1/audit lists them with their numbers.`,
)
