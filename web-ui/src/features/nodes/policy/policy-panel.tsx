// SPDX-License-Identifier: MIT
// What the owner of the node's machine allows: to be read here, and changed nowhere but there.

import { Facts } from '../../../components/facts.tsx'
import { Notice } from '../../../components/notice.tsx'
import { StatusBadge, type Verdict } from '../../../components/status-badge.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { NodeDetail, NodePolicy } from '../../../lib/api-types.ts'
import classes from './policy.module.css'
import { adminWords, listenLines, type Rules, symlinkWords } from './policy-rules.ts'

const verdicts = {
  file: { label: t('Policy file'), tone: 'good', shape: 'disc' },
  builtIn: { label: t('Built in'), tone: 'idle', shape: 'ring' },
} satisfies Record<NodePolicy['source'], Verdict>

export function PolicyPanel({ node }: { node: NodeDetail }) {
  const { policy } = node
  return (
    <section className="panel" aria-labelledby="policy-heading">
      <div className="panel-head">
        <h2 id="policy-heading">{t('What its machine allows')}</h2>
        <span className="grow" />
        {policy !== null && (
          <>
            <StatusBadge verdict={verdicts[policy.source]} />
            <span className="dim">
              <T text="since {since}" since={<TimeAgo at={policy.since} />} />
            </span>
          </>
        )}
      </div>
      <div className="panel-body stack">
        {policy === null ? <NoPolicy node={node} /> : <Told policy={policy} />}
      </div>
    </section>
  )
}

const NoPolicy = ({ node: { lastSeenAt, version } }: { node: NodeDetail }) => (
  <p className="dim">
    {lastSeenAt === null
      ? t('It says what the owner of its machine allows as soon as it connects.')
      : t(
          'It does not tell: farmstead-node {version} is too old to be bounded by the owner of its machine, or has not started since this control plane was updated.',
          { version },
        )}
  </p>
)

function Told({ policy }: { policy: NodePolicy }) {
  return (
    <>
      <p>
        {policy.path !== null && (
          <>
            <T
              text="The owner of its machine says it in {path} there."
              path={<code>{policy.path}</code>}
            />{' '}
          </>
        )}
        {t('The node refuses every version that asks for more. Nothing here can change it.')}
      </p>
      {policy.source === 'builtIn' && <HowToWiden />}
      <Facts facts={factsOf(policy.rules)} />
    </>
  )
}

const HowToWiden = () => (
  <Notice tone="info" title={t('No policy file: the tight built-in one holds')}>
    <T
      text="To allow more, write <code>/etc/farmstead/policy.json</code> on its machine, as root, and restart the node. What can stand in it is in docs/running-a-node.md."
      code={<code />}
    />
  </Notice>
)

const factsOf = (rules: Rules) => [
  { name: t('Serves'), value: <Entries of={rules.serve} /> },
  { name: t('Listens on'), value: <Lines of={listenLines(rules.listen)} /> },
  { name: t('Admin page'), value: adminWords(rules) },
  { name: t('Logs'), value: <Entries of={rules.logs} /> },
  { name: t('Passwords and keys'), value: <Entries of={rules.secrets} /> },
  { name: t('Sockets, pid file'), value: <Entries of={rules.runtime} /> },
  { name: t('Runs as user'), value: <Entries of={rules.users} /> },
  { name: t('Runs as group'), value: <Entries of={rules.groups} /> },
  { name: t('Symbolic links'), value: symlinkWords(rules) },
]

const Entries = ({ of }: { of: readonly string[] }) => (
  <Lines of={of} show={(entry) => <code>{entry}</code>} />
)

/** Of more only the first are read by anybody. */
const SHOWN = 8
type LinesProps = { of: readonly string[]; show?: (entry: string) => React.ReactNode }

function Lines({ of, show = (entry) => entry }: LinesProps) {
  if (of.length === 0) return <span className="dim">{t('none')}</span>
  const all = [...new Set(of)]
  const more = all.slice(SHOWN)
  return (
    <>
      <List of={all.slice(0, SHOWN)} show={show} />
      {more.length > 0 && (
        <details className={classes.more}>
          <summary>{t('and {more} more', { more: more.length })}</summary>
          <List of={more} show={show} />
        </details>
      )}
    </>
  )
}

const List = ({ of, show }: Required<LinesProps>) => (
  <ul className={classes.entries}>
    {of.map((entry) => (
      <li key={entry}>{show(entry)}</li>
    ))}
  </ul>
)
