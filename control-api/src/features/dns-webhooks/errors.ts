// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const DnsWebhookNotFound = defineError(
  404,
  'dns_webhook_not_found',
  'No such DNS webhook',
  (name: string) => `There is no DNS webhook "${name}". GET /api/v1/dns-webhooks lists them.`,
)
export const DnsWebhookExists = defineError(
  409,
  'dns_webhook_exists',
  'The DNS webhook is there already',
  (name: string) =>
    `There is a DNS webhook "${name}". PATCH /api/v1/dns-webhooks/${name} changes it, or choose another name.`,
)
export const DnsWebhookInUse = defineError(
  409,
  'dns_webhook_in_use',
  'The DNS webhook is in use',
  (name: string, users: readonly string[], more: boolean) =>
    `"${name}" stays, for it proves the names of ${users.join(', ')}${more ? ' and others' : ''}, or is still to remove records of theirs. Choose another challenge there first.`,
)
export const DnsUrlRefused = defineError(
  422,
  'url_refused',
  'That is no address for a DNS webhook',
  (url: string) =>
    `"${url}" must be an http or https URL without a user name and password: every message is signed, so the program needs none.`,
)
export const TooManyDnsWebhooks = defineError(
  409,
  'too_many_dns_webhooks',
  'There are enough DNS webhooks',
  (most: number) => `There are ${most}, which is the most. Delete one that nobody uses.`,
)
