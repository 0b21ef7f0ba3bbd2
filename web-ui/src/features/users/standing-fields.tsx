// SPDX-License-Identifier: MIT

import { Checkbox, TextInput } from '@mantine/core'
import { t } from '../../languages/t.ts'
import type { Role } from '../../lib/api-types.ts'

const roles = {
  viewer: t('sees nodes, configs, rollouts and charts'),
  editor: t('changes configs'),
  operator: t('runs rollouts, changes and enrols nodes'),
  approver: t('approves rollouts'),
  auditor: t('sees users, tokens and the audit log'),
  admin: t('may do everything'),
} satisfies Record<Role, string>
const roleNames = Object.keys(roles) as Role[]

/** What is being typed: an empty scope is the whole farm. */
export type StandingFields = { roles: Role[]; scope: string }

export const standingOf = (fields: StandingFields) => ({
  roles: fields.roles,
  scope: fields.scope.trim() === '' ? null : fields.scope,
})

type Props = {
  fields: StandingFields
  rolesError: string | null
  onChange: (fields: StandingFields) => void
}

export function StandingInputs({ fields, rolesError, onChange }: Props) {
  return (
    <>
      <Checkbox.Group
        label={t('Roles')}
        value={fields.roles}
        error={rolesError}
        onChange={(chosen) =>
          onChange({ ...fields, roles: roleNames.filter((role) => chosen.includes(role)) })
        }
      >
        <div className="stack">
          {roleNames.map((role) => (
            <Checkbox key={role} value={role} label={role} description={roles[role]} />
          ))}
        </div>
      </Checkbox.Group>
      <TextInput
        label={t('Scope')}
        description={t(
          'Label selector of the nodes these roles apply to, such as zone=eu. Empty: the whole farm.',
        )}
        spellCheck={false}
        value={fields.scope}
        onChange={(event) => onChange({ ...fields, scope: event.currentTarget.value })}
      />
    </>
  )
}
