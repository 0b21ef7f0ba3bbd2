// SPDX-License-Identifier: MIT

import { Button, Input } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../../../languages/t.ts'
import { nodeNameQuery } from '../../../lib/name-queries.ts'

/** One node, from a link of its page: by its name. */
export function NodeField({ id, onAll }: { id: string; onAll: () => void }) {
  const name = useQuery(nodeNameQuery(id))
  return (
    <Input.Wrapper size="xs" label={t('Node')} labelElement="div">
      <div className="row">
        <strong>{name.isError ? t('a node that is gone') : (name.data ?? '…')}</strong>
        <Button variant="default" size="compact-xs" onClick={onAll}>
          {t('All nodes')}
        </Button>
      </div>
    </Input.Wrapper>
  )
}
