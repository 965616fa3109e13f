import type {
  ActionIconFactory,
  AutocompleteFactory,
  BadgeFactory,
  ButtonFactory,
  CheckboxFactory,
  CloseButtonFactory,
  ComboboxFactory,
  CSSVariablesResolver,
  DrawerFactory,
  ExtendComponent,
  FactoryPayload,
  InputFactory,
  InputWrapperFactory,
  LoaderFactory,
  MantineColorsTuple,
  MenuFactory,
  ModalFactory,
  MultiSelectFactory,
  NotificationFactory,
  PasswordInputFactory,
  PopoverFactory,
  ProgressFactory,
  RadioFactory,
  SegmentedControlFactory,
  SelectFactory,
  SkeletonFactory,
  SwitchFactory,
  TableFactory,
  TabsFactory,
  TagsInputFactory,
  TooltipFactory,
} from "@mantine/core";
import { createTheme } from "@mantine/core";
import controls from "./controls.module.css";

/** Blue of the one filled button; index 6 is the fill in light, 5 in dark. */
const brand: MantineColorsTuple = [
  "#E9EFFD",
  "#D3DEFA",
  "#B4C7F6",
  "#8FB0FF",
  "#6A8DEB",
  "#3F69DE",
  "#2F5BD8",
  "#274EBE",
  "#20419F",
  "#183279",
];

const floating = { shadow: "float", radius: "lg", withArrow: false } as const;
/** What lies between the page and a dialog. */
const veil = { color: "#0c0f16", backgroundOpacity: 0.38 } as const;
const motion = { transition: "fade", duration: 120 } as const;

/** Heights in pixels by size: the same for everything one presses or types in. */
const heights: Record<string, number> = { xs: 24, sm: 28, md: 32, lg: 36, xl: 44 };
const fieldHeights: Record<string, number> = { sm: 28, md: 34, xl: 44 };

/** What `Button.extend` is, without pulling the component into the first load. */
const part = <Factory extends FactoryPayload>(extension: ExtendComponent<Factory>) => extension;

/** A list is as wide as its field, and wider where an entry needs it, within the window. */
function fitted({ rects, availableWidth, elements }: Fit) {
  elements.floating.style.minWidth = `${rects.reference.width}px`;
  elements.floating.style.maxWidth = `${Math.max(rects.reference.width, availableWidth)}px`;
}
interface Fit {
  rects: { reference: { width: number } };
  availableWidth: number;
  elements: { floating: HTMLElement };
}

export const theme = createTheme({
  primaryColor: "brand",
  primaryShade: { light: 6, dark: 5 },
  colors: { brand },
  fontFamily: "var(--font)",
  fontFamilyMonospace: "var(--mono)",
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "15px", xl: "20px" },
  lineHeights: { xs: "16px", sm: "18px", md: "20px", lg: "22px", xl: "28px" },
  spacing: { xs: "4px", sm: "8px", md: "12px", lg: "16px", xl: "24px" },
  radius: { xs: "4px", sm: "6px", md: "8px", lg: "10px", xl: "12px" },
  shadows: { xs: "none", sm: "none", md: "none", lg: "none", xl: "none", float: "var(--float)" },
  headings: { fontFamily: "var(--font)", fontWeight: "600" },
  defaultRadius: "md",
  cursorType: "pointer",
  focusRing: "auto",
  respectReducedMotion: true,
  components: {
    Button: part<ButtonFactory>({
      defaultProps: { variant: "default", size: "md" },
      classNames: { root: controls.button, section: controls.buttonSection },
      vars: (_theme, { size }) => ({
        root: {
          "--button-height": `${heights[size ?? "md"] ?? 32}px`,
          "--button-padding-x": size === "sm" || size === "xs" ? "10px" : size === "xl" ? "16px" : "12px",
          "--button-fz": size === "xl" ? "14px" : "13px",
        },
      }),
    }),
    ActionIcon: part<ActionIconFactory>({
      defaultProps: { variant: "subtle", size: "md", color: "gray" },
      classNames: { root: controls.iconButton },
      vars: (_theme, { size }) => ({ root: { "--ai-size": `${heights[String(size ?? "md")] ?? 32}px` } }),
    }),
    CloseButton: part<CloseButtonFactory>({ classNames: { root: controls.iconButton } }),
    Input: part<InputFactory>({
      defaultProps: { size: "md" },
      classNames: { input: controls.input, wrapper: controls.inputWrapper, section: controls.inputSection },
      vars: (_theme, { size }) => ({
        wrapper: {
          "--input-height": `${fieldHeights[size ?? "md"] ?? 34}px`,
          "--input-fz": size === "sm" ? "13px" : "14px",
        },
      }),
    }),
    InputWrapper: part<InputWrapperFactory>({
      classNames: { label: controls.label, description: controls.description, error: controls.error },
      defaultProps: { inputWrapperOrder: ["label", "input", "error", "description"] },
    }),
    PasswordInput: part<PasswordInputFactory>({
      classNames: { innerInput: controls.innerInput, input: controls.input },
    }),
    Select: part<SelectFactory>({
      defaultProps: { allowDeselect: false, checkIconPosition: "right", comboboxProps: floating },
      classNames: { option: controls.option, dropdown: controls.dropdown },
    }),
    Combobox: part<ComboboxFactory>({
      defaultProps: {
        ...floating,
        width: "max-content",
        middlewares: { flip: true, shift: true, size: { apply: fitted } },
      },
    }),
    Autocomplete: part<AutocompleteFactory>({
      defaultProps: { comboboxProps: floating },
      classNames: { option: controls.option, dropdown: controls.dropdown },
    }),
    MultiSelect: part<MultiSelectFactory>({
      defaultProps: { comboboxProps: floating },
      classNames: {
        option: controls.option,
        dropdown: controls.dropdown,
        input: controls.pillsInput,
        pill: controls.pill,
      },
    }),
    TagsInput: part<TagsInputFactory>({
      defaultProps: { comboboxProps: floating },
      classNames: {
        option: controls.option,
        dropdown: controls.dropdown,
        input: controls.pillsInput,
        pill: controls.pill,
      },
    }),
    Badge: part<BadgeFactory>({
      defaultProps: { variant: "default", radius: "sm" },
      classNames: { root: controls.badge, label: controls.badgeLabel, section: controls.badgeSection },
    }),
    SegmentedControl: part<SegmentedControlFactory>({
      defaultProps: { size: "xs", radius: "md", transitionDuration: 120 },
      classNames: {
        root: controls.segments,
        indicator: controls.segmentIndicator,
        label: controls.segmentLabel,
        control: controls.segmentControl,
      },
    }),
    Tabs: part<TabsFactory>({
      classNames: { list: controls.tabList, tab: controls.tab, tabLabel: controls.tabLabel },
    }),
    Table: part<TableFactory>({
      defaultProps: { verticalSpacing: 0, horizontalSpacing: "md", withRowBorders: true },
      classNames: { table: controls.table, th: controls.th, td: controls.td, tr: controls.tr },
    }),
    Menu: part<MenuFactory>({
      defaultProps: { ...floating, position: "bottom-start", offset: 6, transitionProps: motion },
      classNames: { dropdown: controls.dropdown, item: controls.option, label: controls.menuLabel },
    }),
    Popover: part<PopoverFactory>({
      defaultProps: { ...floating, transitionProps: motion },
      classNames: { dropdown: controls.popover },
    }),
    Tooltip: part<TooltipFactory>({
      defaultProps: {
        openDelay: 300,
        withArrow: false,
        transitionProps: motion,
        events: { hover: true, focus: true, touch: false },
      },
      classNames: { tooltip: controls.tooltip },
    }),
    Modal: part<ModalFactory>({
      defaultProps: { centered: true, radius: "xl", shadow: "float", transitionProps: motion, overlayProps: veil },
      classNames: {
        title: controls.modalTitle,
        header: controls.modalHeader,
        body: controls.modalBody,
        content: controls.modalContent,
      },
    }),
    Drawer: part<DrawerFactory>({
      defaultProps: { overlayProps: veil },
      classNames: { title: controls.modalTitle, header: controls.modalHeader, body: controls.modalBody },
    }),
    Notification: part<NotificationFactory>({
      classNames: { root: controls.toast, title: controls.toastTitle, description: controls.toastText },
    }),
    Checkbox: part<CheckboxFactory>({ classNames: { label: controls.choiceLabel, input: controls.choiceInput } }),
    Radio: part<RadioFactory>({ classNames: { label: controls.choiceLabel, radio: controls.choiceInput } }),
    Switch: part<SwitchFactory>({
      defaultProps: { withThumbIndicator: false },
      classNames: { label: controls.choiceLabel },
    }),
    Progress: part<ProgressFactory>({ defaultProps: { size: 4, radius: 2 } }),
    Skeleton: part<SkeletonFactory>({ defaultProps: { radius: "sm" }, classNames: { root: controls.skeleton } }),
    Loader: part<LoaderFactory>({ defaultProps: { size: "sm", color: "var(--primary-text)" } }),
  },
});

const surfaces: Record<string, string> = {
  "--mantine-color-body": "var(--card)",
  "--mantine-color-text": "var(--text)",
  "--mantine-color-bright": "var(--text)",
  "--mantine-color-dimmed": "var(--dim)",
  "--mantine-color-placeholder": "var(--dim)",
  "--mantine-color-anchor": "var(--primary-text)",
  "--mantine-color-error": "var(--error)",
  "--mantine-color-default": "var(--card)",
  "--mantine-color-default-hover": "var(--hover)",
  "--mantine-color-default-color": "var(--text)",
  "--mantine-color-default-border": "var(--edge)",
  "--mantine-color-disabled": "var(--hover)",
  "--mantine-color-disabled-color": "var(--dim)",
  "--mantine-color-disabled-border": "var(--edge)",
  "--mantine-color-brand-filled": "var(--primary)",
  "--mantine-color-brand-filled-hover": "var(--primary-hover)",
  "--mantine-color-brand-light": "var(--primary-tint)",
  "--mantine-color-brand-light-color": "var(--primary-text)",
  "--mantine-color-brand-text": "var(--primary-text)",
  "--mantine-color-gray-text": "var(--dim)",
  "--mantine-color-gray-light-hover": "var(--hover)",
  "--mantine-primary-color-filled": "var(--primary)",
  "--mantine-primary-color-filled-hover": "var(--primary-hover)",
};

/** Maps Mantine's variables onto our tokens (tokens.css), which carry light and dark themselves. */
export const resolveVariables: CSSVariablesResolver = () => ({ variables: {}, light: surfaces, dark: surfaces });
