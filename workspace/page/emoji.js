const SHORT_NAMES = `
+1 👍|thumbsup 👍|-1 👎|thumbsdown 👎|white_check_mark ✅|heavy_check_mark ✔️|ballot_box_with_check ☑️|x ❌|negative_squared_cross_mark ❎
|warning ⚠️|no_entry ⛔|no_entry_sign 🚫|octagonal_sign 🛑|rotating_light 🚨|bell 🔔|no_bell 🔕|mute 🔇|loud_sound 🔊|mega 📣|loudspeaker 📢
|credit_card 💳|moneybag 💰|money_with_wings 💸|dollar 💵|euro 💶|receipt 🧾|bank 🏦|shopping_trolley 🛒|shopping_bags 🛍️|atm 🏧|coin 🪙
|lock 🔒|unlock 🔓|closed_lock_with_key 🔐|key 🔑|shield 🛡️|package 📦|truck 🚚|airplane ✈️|mailbox 📫|mailbox_with_mail 📬|inbox_tray 📥|outbox_tray 📤|email 📧|envelope ✉️|incoming_envelope 📨
|hourglass ⌛|hourglass_flowing_sand ⏳|stopwatch ⏱️|alarm_clock ⏰|clock1 🕐|clock3 🕒|clock9 🕘|calendar 📆|date 📅|spiral_calendar_pad 🗓️
|chart_with_upwards_trend 📈|chart_with_downwards_trend 📉|bar_chart 📊|clipboard 📋|memo 📝|pencil 📝|pencil2 ✏️|page_facing_up 📄|bookmark_tabs 📑|mag 🔍|mag_right 🔎|link 🔗|pushpin 📌|round_pushpin 📍|paperclip 📎
|red_circle 🔴|large_orange_circle 🟠|large_yellow_circle 🟡|large_green_circle 🟢|large_blue_circle 🔵|large_purple_circle 🟣|white_circle ⚪|black_circle ⚫|large_red_square 🟥|large_orange_square 🟧|large_yellow_square 🟨|large_green_square 🟩|large_blue_square 🟦|small_red_triangle 🔺|small_red_triangle_down 🔻|small_blue_diamond 🔹|small_orange_diamond 🔸
|arrow_right ➡️|arrow_left ⬅️|arrow_up ⬆️|arrow_down ⬇️|arrow_upper_right ↗️|arrow_lower_right ↘️|arrows_counterclockwise 🔄|arrows_clockwise 🔃|leftwards_arrow_with_hook ↩️|rewind ⏪|fast_forward ⏩|repeat 🔁|back 🔙
|information_source ℹ️|question ❓|grey_question ❔|exclamation ❗|heavy_exclamation_mark ❗|grey_exclamation ❕|bulb 💡|zap ⚡|fire 🔥|boom 💥|sparkles ✨|star ⭐|star2 🌟|tada 🎉|gift 🎁|trophy 🏆|dart 🎯|checkered_flag 🏁|triangular_flag_on_post 🚩|construction 🚧|gear ⚙️|wrench 🔧|hammer_and_wrench 🛠️|electric_plug 🔌|battery 🔋|computer 💻|phone ☎️|iphone 📱|robot_face 🤖|speech_balloon 💬|thought_balloon 💭|eyes 👀|eye 👁️|ear 👂
|wave 👋|raised_hand ✋|hand 🖐️|ok_hand 👌|pray 🙏|clap 👏|muscle 💪|point_right 👉|point_left 👈|point_up ☝️|point_down 👇|raised_hands 🙌|handshake 🤝
|smile 😄|smiley 😃|grinning 😀|slightly_smiling_face 🙂|wink 😉|joy 😂|thinking_face 🤔|neutral_face 😐|confused 😕|disappointed 😞|cry 😢|sob 😭|scream 😱|sleeping 😴|zzz 💤|sunglasses 😎|heart ❤️|broken_heart 💔|100 💯
|bust_in_silhouette 👤|busts_in_silhouette 👥|office 🏢|house 🏠|department_store 🏬|convenience_store 🏪|hotel 🏨|hospital 🏥|school 🏫|factory 🏭|fuelpump ⛽|car 🚗|taxi 🚕|bus 🚌|train 🚆|ship 🚢|coffee ☕|fork_and_knife 🍴|hamburger 🍔|pizza 🍕|beer 🍺|globe_with_meridians 🌐|earth_americas 🌎|earth_africa 🌍|earth_asia 🌏|world_map 🗺️|sunny ☀️|cloud ☁️|umbrella ☂️|snowflake ❄️|moon 🌙|new 🆕|sos 🆘|stop_sign 🛑|id 🆔|abc 🔤|1234 🔢|recycle ♻️|heavy_plus_sign ➕|heavy_minus_sign ➖|heavy_division_sign ➗|curly_loop ➰|wastebasket 🗑️|ticket 🎫|label 🏷️|scroll 📜|books 📚|book 📖|newspaper 📰|test_tube 🧪|microscope 🔬|satellite 📡|bug 🐛|ghost 👻|us 🇺🇸|gb 🇬🇧|flag-us 🇺🇸|flag-gb 🇬🇧
`;

const EMOJI = new Map(
  SHORT_NAMES.trim()
    .split('|')
    .map((entry) => entry.trim().split(' ')),
);

/** The character for a short name such as `credit_card`. Undefined unless it is one of the common ones. */
export function emoji(name) {
  return EMOJI.get(name.replace(/::skin-tone-\d$/, ''));
}
