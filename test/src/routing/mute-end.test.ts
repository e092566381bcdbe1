import { expect, it } from 'vitest';
import { muteEndOf } from '../../../src/routing/mute-end.ts';

const clock = { now: new Date('2026-11-19T15:00:00.000Z'), zone: 'America/New_York' };
const read = (text: string, countries: readonly string[] | null = null) => muteEndOf(text.split(' '), clock, countries);

it.each([
  ['2d vendor until friday', /^Is “until friday” how long it lasts\? A mute has one end\./],
  ['8h conference until friday', /or quote the reason\.$/],
  ['today, trade show until monday', /^Is “until monday” how long it lasts\?/],
  ['2 days waiting until vendor fixes it', /^Is “until vendor fixes it” how long it lasts\?/],
  ['7d renewal of 12 months', /^Is “of 12 months” how long it lasts\?/],
  ['today trade show for 2 days', /^Is “for 2 days” how long it lasts\?/],
])('asks about a second time instead of taking it as the reason: %s', (text, why) => {
  expect(read(text)).toEqual({ why: expect.stringMatching(why) });
});

it.each([
  ['until friday, France until monday', /^Is “until monday” how long it lasts\?/],
  ['2 days then France until friday', /^Is “until friday” how long it lasts\?/],
  ['until friday and France', /^Is “France” part of the trip\? Write all countries before the time/],
  ['until friday, South Korea', /^Is “South Korea” part of the trip\?/],
  ['until friday and PT', /^Is “PT” part of the trip\?/],
  ['until friday UK', /^Is “UK” part of the trip\?/],
  ['until friday USA', /^Is “USA” part of the trip\?/],
  ['until friday, UK and Ireland', /^Is “UK” part of the trip\?/],
  ['until friday Spain and Ireland', /^Is “Ireland” part of the trip\?/],
  ['until friday and France for the fair', /^Is “France” part of the trip\?/],
])('asks about a second country of a trip: ES %s', (text, why) => {
  expect(read(text, ['ES'])).toEqual({ why: expect.stringMatching(why) });
});

it.each([
  ['2d "vendor until friday"', null, 1],
  ['2d vendor visit', null, 1],
  ['2d France', null, 1],
  ['until friday "France office"', ['ES'], 2],
  ['until friday Spain office', ['ES'], 2],
  ['until friday IT conference', ['ES'], 2],
  ['until friday Jordan approved', ['ES'], 2],
  ['until friday Chad asked for it', ['ES'], 2],
  ['until friday it', ['ES'], 2],
  ['until friday and it is agreed', ['ES'], 2],
  ['until friday visits the France office', ['ES'], 2],
])('leaves a reason: %s', (text, countries, words) => {
  expect(read(text, countries)).toMatchObject({ words });
});
