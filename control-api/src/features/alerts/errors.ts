// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const AlertRuleNotFound = defineError(
  404,
  'alert_rule_not_found',
  'No such rule',
  (id: string) => `There is no rule ${id}. GET /api/v1/alert-rules lists them.`,
)
export const AlertNotFound = defineError(
  404,
  'alert_not_found',
  'No such alert',
  (id: string) => `There is no alert ${id} that you may see. GET /api/v1/alerts lists them.`,
)
export const SilenceNotFound = defineError(
  404,
  'alert_silence_not_found',
  'No such silence',
  (id: string) => `There is no silence ${id}. GET /api/v1/alert-silences lists them.`,
)
export const AlertRuleExists = defineError(
  409,
  'alert_rule_exists',
  'There is a rule of that name',
  (name: string) => `"${name}" is taken: people know a rule by its name. Choose another.`,
)
export const AlertRuleRefused = defineError(
  422,
  'alert_rule_refused',
  'That rule cannot be looked at',
  (why: string) => why,
)
export const AlertIsOver = defineError(
  409,
  'alert_is_over',
  'The alert is over',
  (id: string) => `${id} is resolved: there is nothing to take on any more.`,
)
export const SilenceRefused = defineError(
  422,
  'alert_silence_refused',
  'That is no silence',
  (why: string) => why,
)
export const TooManyAlertRules = defineError(
  409,
  'too_many_alert_rules',
  'There are enough rules',
  (limit: number) => `There are ${limit}, which is the most. Delete one that nobody needs.`,
)
export const TooManySilences = defineError(
  409,
  'too_many_alert_silences',
  'There are enough silences',
  (limit: number) => `There are ${limit}, which is the most. End one that nobody needs.`,
)
