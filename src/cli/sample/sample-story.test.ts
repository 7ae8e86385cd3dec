import { expect, test } from 'vitest';
import { readSampleExtensions, readSampleFiles } from './sample-files.ts';
import { tellSampleStory } from './sample-story.ts';

test('the story writes every file of the sample exactly once', () => {
  const files = readSampleFiles();
  const written = tellSampleStory(files).flatMap(step => ('path' in step.change ? [step.change.path] : []));
  expect(files.length).toBeGreaterThan(50);
  expect([...written].sort()).toEqual(files.map(file => file.path).sort());
});

test('a step is caused only by one of an earlier group', () => {
  const groups = new Map<string, number>();
  for (const step of tellSampleStory(readSampleFiles())) {
    if (step.causedBy !== undefined) expect(groups.get(step.causedBy)).toBeLessThan(step.group);
    groups.set(step.id, step.group);
  }
});

test('the sample brings its extensions', () => {
  expect([...readSampleExtensions().keys()].sort()).toEqual(['language', 'rental']);
});
