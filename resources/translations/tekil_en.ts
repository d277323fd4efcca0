<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
    <context>
        <name>Overview</name>
        <message numerus="yes">
            <source>%n payments</source>
            <translation>
                <numerusform>%n payment</numerusform>
                <numerusform>%n payments</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Standing</name>
        <message numerus="yes">
            <source>It takes no new payments; %n are still on their way.</source>
            <translation>
                <numerusform>It takes no new payments; %n is still on its way.</numerusform>
                <numerusform>It takes no new payments; %n are still on their way.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Recovering %n payments after an unclean end.</source>
            <translation>
                <numerusform>Recovering %n payment after an unclean end.</numerusform>
                <numerusform>Recovering %n payments after an unclean end.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::CountTabs</name>
        <message numerus="yes">
            <source>%1, %n</source>
            <comment>a tab's word and how many</comment>
            <translation>
                <numerusform>%1, %n</numerusform>
                <numerusform>%1, %n</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::Desk</name>
        <message numerus="yes">
            <source>%n payments are on their way.</source>
            <translation>
                <numerusform>%n payment is on its way.</numerusform>
                <numerusform>%n payments are on their way.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n requests came in the last minute.</source>
            <translation>
                <numerusform>%n request came in the last minute.</numerusform>
                <numerusform>%n requests came in the last minute.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::FindResults</name>
        <message numerus="yes">
            <source>%n found</source>
            <translation>
                <numerusform>%n found</numerusform>
                <numerusform>%n found</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::Rail</name>
        <message numerus="yes">
            <source>%1, %n waiting</source>
            <translation>
                <numerusform>%1, %n waiting</numerusform>
                <numerusform>%1, %n waiting</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::RecordTable</name>
        <message numerus="yes">
            <source>%n new, show</source>
            <comment>rows that arrived above</comment>
            <translation>
                <numerusform>%n new, show</numerusform>
                <numerusform>%n new, show</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::Timeline</name>
        <message numerus="yes">
            <source>%1 idle, %n events folded</source>
            <comment>how long, how many</comment>
            <translation>
                <numerusform>%1 idle, %n event folded</numerusform>
                <numerusform>%1 idle, %n events folded</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::overview::EngineList</name>
        <message numerus="yes">
            <source>%n more</source>
            <translation>
                <numerusform>%n more</numerusform>
                <numerusform>%n more</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::overview::OverviewPage</name>
        <message numerus="yes">
            <source>%n engines run</source>
            <translation>
                <numerusform>%n engine runs</numerusform>
                <numerusform>%n engines run</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::payments::PaymentsPage</name>
        <message numerus="yes">
            <source>%n payments</source>
            <translation>
                <numerusform>%n payment</numerusform>
                <numerusform>%n payments</numerusform>
            </translation>
        </message>
    </context>
</TS>
