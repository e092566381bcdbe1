import { FIRST } from '../../templates/app-home/program-menu.ts';
import { onPress } from '../dispatch/press.ts';

/** The menu on top of App Home when there are several card programs. */
export const chooseProgram = onPress(async ({ value, body }, { showProgram }) => {
  await showProgram(body.user.id, value === FIRST ? '' : value);
});
