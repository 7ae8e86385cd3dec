import { expect, test } from 'vitest';
import { findOwner } from './find-owner.ts';

test('the longest literal prefix owns', () => {
  const claims = [
    { assistant: 'assistants/all.md', owns: ['**'] },
    { assistant: 'assistants/orders.md', owns: ['orders/**', 'invoices/**'] },
    { assistant: 'assistants/vip.md', owns: ['orders/vip/*'] },
  ];
  expect(findOwner('orders/vip/1', claims)).toEqual({ kind: 'owned', assistant: 'assistants/vip.md', claim: 'orders/vip/*' });
  expect(findOwner('orders/1', claims)).toMatchObject({ assistant: 'assistants/orders.md' });
  expect(findOwner('rules/a.md', claims)).toMatchObject({ assistant: 'assistants/all.md' });
});

test('equal best claims are a tie, in an order that does not depend on who was read first', () => {
  const a = { assistant: 'a.md', owns: ['orders/**'] };
  const b = { assistant: 'b.md', owns: ['orders/*'] };
  const tied = {
    kind: 'tied',
    claims: [
      { assistant: 'a.md', claim: 'orders/**' },
      { assistant: 'b.md', claim: 'orders/*' },
    ],
  };
  expect(findOwner('orders/1', [a, b])).toEqual(tied);
  expect(findOwner('orders/1', [b, a])).toEqual(tied);
});

test('two equal claims of one assistant are no tie', () => {
  expect(findOwner('orders/1', [{ assistant: 'a.md', owns: ['orders/*', 'orders/**'] }])).toMatchObject({
    kind: 'owned',
    assistant: 'a.md',
  });
});

test('nobody owns what nobody claims', () => {
  expect(findOwner('x', [{ assistant: 'a.md', owns: ['y', ''] }])).toEqual({ kind: 'unowned' });
});
