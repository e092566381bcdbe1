import { describe, expect, it } from 'vitest';
import {
  addDays,
  isDayWord,
  joinAmPm,
  lastOfMonth,
  readDay,
  readTimeOfDay,
  readWeekday,
  soundsLikeTime,
  sundayOf,
  todayOr,
  weekdayOf,
} from '../../../src/core/calendar-words.ts';

describe('days and times that people type', () => {
  it.each([
    ['sun', 0],
    ['Fridays', 5],
    ['tues', 2],
    ['fr', null],
    ['fryday', null],
  ])('%s is day %s of the week', (word, day) => {
    expect(readWeekday(word)).toBe(day);
  });

  it.each([
    ['9am', '09:00'],
    ['12 am', '00:00'],
    ['5:30PM', '17:30'],
    ['17:30', '17:30'],
    ['noon', '12:00'],
    ['midnight', '24:00'],
    ['24:00', '24:00'],
    ['9', null],
    ['25:00', null],
    ['13pm', null],
    [undefined, null],
  ])('%s is %s', (word, time) => {
    expect(readTimeOfDay(word)).toBe(time);
  });

  it('mean a week later by the weekday of today, which may be meant as well', () => {
    expect(readDay(['fri'], '2026-11-20')).toEqual({ date: '2026-11-27', words: 1, isTodaysWeekday: true });
    expect(todayOr('2027-01-01')).toBe('Today is Friday. Instead of “Friday”, write “today” or “Jan 1”.');
  });

  it.each([
    ['tonite', true, true],
    ['firday', true, true],
    ['permanantly', true, true],
    ['next frday', false, true],
    ['this time', false, true],
    ['a while', false, true],
    ['lunch', false, false],
  ])('“%s” is a word for an end: %s; sounds like time: %s', (text, is, sounds) => {
    expect(isDayWord(text)).toBe(is);
    expect(soundsLikeTime(text.split(' '))).toBe(sounds);
  });

  it('have am and pm in one word with their number', () => {
    expect(joinAmPm('daily 9:00 AM to 5  pm, am 9 amber')).toBe('daily 9:00AM to 5pm, am 9 amber');
  });

  it.each([
    ['today', '2026-11-20', 1],
    ['tomorrow lunch', '2026-11-21', 1],
    ['thursday', '2026-11-26', 1],
    ['sat', '2026-11-21', 1],
    ['May 9', '2027-05-09', 2],
    ['9 May 2028 trip', '2028-05-09', 3],
    ['Nov 20', '2026-11-20', 2],
    ['Aug 19', '2027-08-19', 2],
    ['11/19/2027', '2027-11-19', 1],
  ])('%s is %s', (text, date, words) => {
    expect(readDay(text.split(' '), '2026-11-20')).toEqual({ date, words });
  });

  it.each([
    ['11/19', '2027-11-19', 1],
    ['Aug 20', '2027-08-20', 2],
  ])('%s is a day of next year, but has passed only lately', (text, date, words) => {
    expect(readDay(text.split(' '), '2026-11-20')).toEqual({ date, words, hasPassed: true });
  });

  it.each([
    ['Dec 28', '2027-12-28', 2],
    ['10/2', '2027-10-02', 1],
  ])(
    'just after New Year %s is a day of this year, but one of last year has passed only lately',
    (text, date, words) => {
      expect(readDay(text.split(' '), '2027-01-02')).toEqual({ date, words, hasPassed: true });
    },
  );

  it.each([
    ['Jan 2', '2027-01-02'],
    ['Jan 5', '2027-01-05'],
    ['Oct 1', '2027-10-01'],
    ['Dec 28 2027', '2027-12-28'],
  ])('just after New Year %s is certain', (text, date) => {
    const words = text.split(' ');
    expect(readDay(words, '2027-01-02')).toEqual({ date, words: words.length });
  });

  it.each(['', 'Feb 30', '13/1', '2026-02-31', 'May', 'lunch'])('%j is not a day', (text) => {
    expect(readDay(text.split(' '), '2026-11-20')).toBeNull();
  });

  it('counts across the end of a month and a year', () => {
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
    expect(weekdayOf('2026-11-20')).toBe(5);
  });

  it.each([
    ['2026-11-20', '2026-11-22', '2026-11-30'],
    ['2026-11-22', '2026-11-22', '2026-11-30'],
    ['2028-02-29', '2028-03-05', '2028-02-29'],
    ['2026-12-31', '2027-01-03', '2026-12-31'],
  ])('the week of %s ends on %s, and its month on %s', (day, week, month) => {
    expect(sundayOf(day)).toBe(week);
    expect(lastOfMonth(day)).toBe(month);
  });
});
