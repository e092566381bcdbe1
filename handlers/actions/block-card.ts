import { actOnAlert } from './act-on-alert.ts';

/** *Block card* on an alert. */
export const blockCard = actOnAlert('block');
