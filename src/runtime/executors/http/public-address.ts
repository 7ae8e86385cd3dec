import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Networks of the old protocol that no service on the internet has: this machine, private ones, metadata services, documentation, multicast. */
const closed = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  closed.addSubnet(network, prefix, 'ipv4');

// Of the new one only global unicast is open; that leaves out loopback, link-local, unique local, multicast, and every form that carries an old
// address (mapped, compatible, NAT64). Within it, tunnels and documentation are closed.
const open6 = new BlockList();
open6.addSubnet('2000::', 3, 'ipv6');
const closed6 = new BlockList();
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  closed6.addSubnet(network, prefix, 'ipv6');

/** Whether an address is one of the internet, not of this machine or of a network around it. */
export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !closed.check(address, 'ipv4');
  const plain = address.replace(/%.*$/, '');
  return isIPv6(plain) && plain === address && open6.check(plain, 'ipv6') && !closed6.check(plain, 'ipv6');
};

/** Whether an address is this machine's own. */
export const isLoopbackAddress = (address: string): boolean => (isIPv4(address) ? address.startsWith('127.') : address === '::1');
