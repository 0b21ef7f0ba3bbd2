// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Notice } from '../../../components/notice.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { Node, NodeClone, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { decideCloneMutation } from '../api.ts'
import classes from './identity.module.css'
import { isSilent, keptOf, processName, shortHex } from './identity-rules.ts'

type Incarnation = NodeClone['incarnations'][number]
type CloneNoticeProps = { node: Node; clone: NodeClone; session: Session }

/** Several processes hold one key: only a person knows which of the machines is the node. */
export function CloneNotice({ node, clone, session }: CloneNoticeProps) {
  const [keeping, setKeeping] = useState<Incarnation | null>(null)
  const kept = keptOf(clone)
  const blocked = whyNot(session, 'nodes:write')
  return (
    <>
      <Notice
        tone={kept === null ? 'bad' : 'warn'}
        title={
          kept === null
            ? t('More than one process says it is {name}', { name: node.name })
            : t('{processName} is kept as {name}', {
                processName: processName(kept),
                name: node.name,
              })
        }
      >
        {kept === null ? (
          <T
            text="They hold the same key, as after copying a machine with its state folder. All of them serve what they had; none is given anything new. Found out {detectedAt}. Keep the one that is the node:"
            detectedAt={<TimeAgo at={clone.detectedAt} />}
          />
        ) : (
          t(
            'It gets a new key, which shuts the others out. They are refused until they join with tokens of their own, and keep serving until then.',
          )
        )}
        <ul
          className={classes.processes}
          aria-label={t('Processes that say they are {name}', { name: node.name })}
        >
          {clone.incarnations.map((one) => (
            <li key={one.incarnation}>
              <Process process={one} />
              {one.incarnation === clone.keep ? (
                <strong>{t('Kept')}</strong>
              ) : (
                <ActionButton
                  variant="default"
                  size="xs"
                  blockedBy={blocked}
                  onClick={() => setKeeping(one)}
                >
                  {t('Keep {processName}', { processName: processName(one) })}
                </ActionButton>
              )}
            </li>
          ))}
        </ul>
      </Notice>
      {keeping !== null && (
        <KeepDialog node={node} clone={clone} process={keeping} onClose={() => setKeeping(null)} />
      )}
    </>
  )
}

function Process({ process }: { process: Incarnation }) {
  const { hostname, address, incarnation, lastSeenAt } = process
  const now = useNow()
  return (
    <div className={classes.process}>
      <span>
        <strong>{hostname}</strong> {address !== null && <code>{address}</code>}
      </span>
      <span className="dim">
        <T
          text="process {incarnation}, last said hello {lastSeenAt}"
          incarnation={<code title={incarnation}>{shortHex(incarnation)}</code>}
          lastSeenAt={<TimeAgo at={lastSeenAt} />}
        />
        {isSilent(process, now) && t(': it has ended, or was started again since')}
      </span>
    </div>
  )
}

type KeepDialogProps = { node: Node; clone: NodeClone; process: Incarnation; onClose: () => void }

function KeepDialog({ node, clone, process, onClose }: KeepDialogProps) {
  const client = useQueryClient()
  const decide = useMutation({
    ...decideCloneMutation,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['nodes'] })
      onClose()
    },
  })
  const others = clone.incarnations.filter((one) => one !== process)
  return (
    <Dialog
      onClose={onClose}
      title={t('Keep {processName} as {name}', {
        processName: processName(process),
        name: node.name,
      })}
    >
      <div className="stack">
        <ul className="bullets">
          <li>
            {t('{hostname} goes on as {name}, with a new key, and takes versions again.', {
              hostname: process.hostname,
              name: node.name,
            })}
          </li>
          <li>
            {others.length === 1
              ? t(
                  '{others} is refused. It keeps serving what it has, and becomes a node of its own when it joins with a token of its own.',
                  { others: others.map(processName).join('') },
                )
              : t(
                  '{others} others are refused. They keep serving what they have, and become nodes of their own when they join with tokens of their own.',
                  { others: others.length },
                )}
          </li>
          {node.identity.kind === 'credential' && (
            <li>
              {t(
                'Over plain HTTP the secret cannot be changed: the other must be stopped or join again, or it is a clone again after its next start.',
              )}
            </li>
          )}
        </ul>
        {decide.isError && <ErrorBox what={t('Not decided')} error={decide.error} />}
        <DialogActions>
          <Button
            loading={decide.isPending}
            onClick={() => decide.mutate({ id: node.id, keep: process.incarnation })}
          >
            {t('Keep {processName}', { processName: processName(process) })}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
