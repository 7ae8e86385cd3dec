import type { Call } from '../call.ts';
import { documentTree, listDocuments, readDocument } from './document-calls.ts';
import { embedDocuments, showEmbedder } from './embedding-calls.ts';
import { submitEnvelope } from './envelope-submit.ts';
import { listEvents, showEvent, traceEvent } from './event-calls.ts';
import { listExecutors, listSecrets, removeExecutor, removeSecret, setExecutor, setSecret } from './executor-calls.ts';
import { blameDocument, collectHistory, diffDocument, gitHistory, readPast, showChange, undoEvent } from './history-calls.ts';
import { createHookSecret, listHooks, removeHook } from './hook-calls.ts';
import { indexStatus, rebuildIndex, repairIndex } from './index-calls.ts';
import { acquireLease, listLeases, releaseLease, renewLease } from './lease-calls.ts';
import { applyLinks, checkLinks, fixLinks, moveDocument, showLinks, suggestLinks, writeContents } from './link-calls.ts';
import { checkMemory, giveFeedback, resolveMemory, rollUpFeedback } from './memory-calls.ts';
import { listModels, removeModel, setModel, testModel } from './model-calls.ts';
import { activatePrimitive, checkPrimitiveDocument, newPrimitive } from './primitive-calls.ts';
import { addPrincipal, listPrincipals, renewToken, revokePrincipal } from './principal-calls.ts';
import { lockRegistry, showRegistry, verifyRegistry } from './registry-calls.ts';
import { renderDocument } from './render-calls.ts';
import { listRuns, showRun, showRuntime } from './run-calls.ts';
import { queryGraph, searchVault } from './search-calls.ts';
import { listSessionsCall } from './session-calls.ts';
import { adoptChanges, checkDocuments, recoverCommits, vaultStatus } from './vault-calls.ts';
import { cancelTask, claimTask, decideTask, finishTask, fireWorkflow, listTasks, reportStep } from './work-calls.ts';

/** Every call of the product by name. A surface that renders this table offers all of it. */
export const calls = {
  'envelope.submit': submitEnvelope,
  'document.read': readDocument,
  'document.list': listDocuments,
  'document.tree': documentTree,
  'document.render': renderDocument,
  'search.query': searchVault,
  'graph.query': queryGraph,
  'event.list': listEvents,
  'event.show': showEvent,
  'event.trace': traceEvent,
  'event.sessions': listSessionsCall,
  'history.show': showChange,
  'history.read': readPast,
  'history.diff': diffDocument,
  'history.blame': blameDocument,
  'history.undo': undoEvent,
  'history.collect': collectHistory,
  'history.git': gitHistory,
  'vault.status': vaultStatus,
  'vault.adopt': adoptChanges,
  'vault.check': checkDocuments,
  'vault.recover': recoverCommits,
  'index.status': indexStatus,
  'index.rebuild': rebuildIndex,
  'index.repair': repairIndex,
  'links.show': showLinks,
  'links.check': checkLinks,
  'links.fix': fixLinks,
  'links.suggest': suggestLinks,
  'links.apply': applyLinks,
  'document.move': moveDocument,
  'toc.write': writeContents,
  'memory.check': checkMemory,
  'memory.resolve': resolveMemory,
  'feedback.give': giveFeedback,
  'feedback.rollup': rollUpFeedback,
  'workflow.fire': fireWorkflow,
  'task.list': listTasks,
  'task.claim': claimTask,
  'task.step': reportStep,
  'task.finish': finishTask,
  'task.cancel': cancelTask,
  'task.decide': decideTask,
  'run.list': listRuns,
  'run.show': showRun,
  'runtime.status': showRuntime,
  'lease.acquire': acquireLease,
  'lease.renew': renewLease,
  'lease.release': releaseLease,
  'lease.list': listLeases,
  'model.list': listModels,
  'model.set': setModel,
  'model.remove': removeModel,
  'model.test': testModel,
  'executor.list': listExecutors,
  'executor.set': setExecutor,
  'executor.remove': removeExecutor,
  'secret.list': listSecrets,
  'secret.set': setSecret,
  'secret.remove': removeSecret,
  'hook.list': listHooks,
  'hook.secret': createHookSecret,
  'hook.remove': removeHook,
  'registry.show': showRegistry,
  'registry.lock': lockRegistry,
  'registry.verify': verifyRegistry,
  'primitive.new': newPrimitive,
  'primitive.check': checkPrimitiveDocument,
  'primitive.activate': activatePrimitive,
  'index.embedder': showEmbedder,
  'index.embed': embedDocuments,
  'principal.add': addPrincipal,
  'principal.list': listPrincipals,
  'principal.revoke': revokePrincipal,
  'principal.token': renewToken,
} as const satisfies Readonly<Record<string, Call>>;

export type CallName = keyof typeof calls;
