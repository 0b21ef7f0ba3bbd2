// SPDX-License-Identifier: MIT
// All names that begin with FARMSTEAD_ and mean something, to whichever of our programs. A name that none
// of them knows is a slip of the pen, and what it was to do would be missed in silence.
import { nearestName } from './nearest-name.ts'

/** What the control plane and its operator's commands read; see environment/config.ts. */
export const SERVICE_NAMES = [
  'FARMSTEAD_AGENT_HOST',
  'FARMSTEAD_AGENT_PORT',
  'FARMSTEAD_AGENT_TRANSPORT',
  'FARMSTEAD_AGENT_URL',
  'FARMSTEAD_BACKUP_DIR',
  'FARMSTEAD_BACKUP_EVERY_HOURS',
  'FARMSTEAD_BACKUP_KEEP',
  'FARMSTEAD_BACKUP_RECIPIENTS',
  'FARMSTEAD_BASE_PATH',
  'FARMSTEAD_CONSOLE_DIR',
  'FARMSTEAD_DATABASE_URL_FILE',
  'FARMSTEAD_DATA_DIR',
  'FARMSTEAD_HOST',
  'FARMSTEAD_LOG_LEVEL',
  'FARMSTEAD_NODE_BINARY',
  'FARMSTEAD_OIDC_CLIENT_ID',
  'FARMSTEAD_OIDC_CLIENT_SECRET_FILE',
  'FARMSTEAD_OIDC_GROUPS_CLAIM',
  'FARMSTEAD_OIDC_ISSUER',
  'FARMSTEAD_OIDC_LABEL',
  'FARMSTEAD_OIDC_ROLES',
  'FARMSTEAD_OIDC_SCOPES',
  'FARMSTEAD_OTLP_EVERY_SECONDS',
  'FARMSTEAD_OTLP_HEADERS_FILE',
  'FARMSTEAD_OTLP_URL',
  'FARMSTEAD_PORT',
  'FARMSTEAD_PREVIEW_HOST',
  'FARMSTEAD_PUBLIC_URL',
  'FARMSTEAD_RELEASES_KEEP_HOURS',
  'FARMSTEAD_RELEASES_MAX_FILES',
  'FARMSTEAD_RELEASES_MAX_GIB',
  'FARMSTEAD_RELEASES_STORE_GIB',
  'FARMSTEAD_REPLICA_ADDRESS',
  'FARMSTEAD_REPORT_EVERY_SECONDS',
  'FARMSTEAD_SECRETS_KEY_FILE',
  'FARMSTEAD_SMTP_FROM',
  'FARMSTEAD_SMTP_PASSWORD_FILE',
  'FARMSTEAD_SMTP_URL',
  'FARMSTEAD_SMTP_USER',
  'FARMSTEAD_TLS_CERTIFICATE',
  'FARMSTEAD_TLS_CERTIFICATE_FILE',
  'FARMSTEAD_TLS_HSTS_SECONDS',
  'FARMSTEAD_TLS_KEY_FILE',
  'FARMSTEAD_TRUST_PROXY',
  'FARMSTEAD_WEBHOOK_ALLOW',
] as const

export const FARMCTL_NAMES = [
  'FARMSTEAD_CA_FILE',
  'FARMSTEAD_LOAD_BINARY',
  'FARMSTEAD_TOKEN',
  'FARMSTEAD_URL',
] as const

/** Of the images, compose files, the node's entry point and the farm on one machine: they may share an environment with ours. */
const NAMES_OF_OTHERS = [
  'FARMSTEAD_AGENTS_LISTEN',
  'FARMSTEAD_CHROMIUM',
  'FARMSTEAD_CONSOLE_LISTEN',
  'FARMSTEAD_CONTROL_PLANE_IMAGE',
  'FARMSTEAD_DEBIAN_IMAGE',
  'FARMSTEAD_ENROL',
  'FARMSTEAD_HEALTH_URL',
  'FARMSTEAD_HOME',
  'FARMSTEAD_NODE_IMAGE',
  'FARMSTEAD_NODE_NAME',
  'FARMSTEAD_NODE_PORTS',
  'FARMSTEAD_POSTGRES_IMAGE',
  'FARMSTEAD_POSTGRES_UID',
  'FARMSTEAD_SECRETS',
  'FARMSTEAD_SITE',
  'FARMSTEAD_STAGES',
  'FARMSTEAD_TOKEN_FILE',
]
const PATTERNS_OF_OTHERS = [/^FARMSTEAD_EDGE_\d+_PORT$/, /^FARMSTEAD_(CHAOS|BENCH|TEST|ROLLOUTS)_/]

const PREFIX = 'FARMSTEAD_'

/** A sentence for each name that none of our programs knows. */
export function unknownNames(env: Readonly<Record<string, string | undefined>>): string[] {
  const known: string[] = [...SERVICE_NAMES, ...FARMCTL_NAMES, ...NAMES_OF_OTHERS]
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .filter((name) => !PATTERNS_OF_OTHERS.some((pattern) => pattern.test(name)))
    .sort()
    .map((name) => {
      const meant = nearestName(
        name.slice(PREFIX.length),
        known.map((one) => one.slice(PREFIX.length)),
      )
      return `${name} is no setting${meant ? `; is ${PREFIX}${meant} meant?` : '.'} It was left out.`
    })
}
