import { checkMemoryTool, moveDocumentTool, recordFeedbackTool, resolveConflictTool } from './care-tools.ts';
import { acquireLeaseTool, releaseLeaseTool, renewLeaseTool } from './lease-tools.ts';
import { blameDocumentTool, diffDocumentTool, undoEventTool } from './past-tools.ts';
import { historyTool, listDocumentsTool, readDocumentTool } from './read-tools.ts';
import { graphTool, searchTool } from './search-tools.ts';
import type { Tool } from './tool.ts';
import { appendRunStepTool, claimTaskTool, finishTaskTool, listTasksTool } from './work-tools.ts';
import {
  appendRecordTool,
  deleteDocumentTool,
  patchDocumentTool,
  recordEventTool,
  submitEnvelopeTool,
  writeDocumentTool,
} from './write-tools.ts';

/** Every tool, in the order in which they are listed. A room that brings more adds its own here. */
export const tools: readonly Tool[] = [
  readDocumentTool,
  listDocumentsTool,
  searchTool,
  graphTool,
  writeDocumentTool,
  patchDocumentTool,
  appendRecordTool,
  deleteDocumentTool,
  moveDocumentTool,
  recordEventTool,
  recordFeedbackTool,
  checkMemoryTool,
  resolveConflictTool,
  historyTool,
  diffDocumentTool,
  blameDocumentTool,
  undoEventTool,
  listTasksTool,
  claimTaskTool,
  appendRunStepTool,
  finishTaskTool,
  acquireLeaseTool,
  renewLeaseTool,
  releaseLeaseTool,
  submitEnvelopeTool,
];
